#include "base/order.hpp"

#include <algorithm>
#include <utility>

#include <catch2/catch_test_macros.hpp>

namespace whichgpu {
namespace {

TEST_CASE("rows are sorted, and equal ones keep their order", "[base]") {
  unsigned state = 1;
  for (int size = 0; size < 70; ++size) {
    std::vector<std::pair<int, int>> rows;
    for (int i = 0; i < size; ++i) rows.emplace_back(static_cast<int>((state = state * 1664525u + 1013904223u) >> 29), i);
    std::vector<std::pair<int, int>> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    sort_rows(rows, [](const auto& a, const auto& b) { return a.first < b.first; });
    CHECK(rows == expected);
  }
}

}  // namespace
}  // namespace whichgpu
