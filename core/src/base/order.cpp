#include "base/order.hpp"

#include <algorithm>

namespace whichgpu {

std::vector<int> order_of(int count, const void* context, bool (*before)(const void* context, int a, int b)) {
  std::vector<int> from(static_cast<std::size_t>(count)), to(from.size());
  for (int i = 0; i < count; ++i) from[static_cast<std::size_t>(i)] = i;
  // Bottom up: runs of 1, 2, 4, … are merged in pairs from one list into the other.
  const std::size_t size = from.size();
  for (std::size_t run = 1; run < size; run *= 2) {
    for (std::size_t start = 0; start < size; start += 2 * run) {
      const std::size_t middle = std::min(start + run, size), end = std::min(start + 2 * run, size);
      std::size_t left = start, right = middle;
      for (std::size_t at = start; at < end; ++at) {
        const bool take_right = left == middle || (right < end && before(context, from[right], from[left]));
        to[at] = take_right ? from[right++] : from[left++];
      }
    }
    from.swap(to);
  }
  return from;
}

}  // namespace whichgpu
