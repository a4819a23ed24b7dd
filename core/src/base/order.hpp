#pragma once
#include <vector>

namespace whichgpu {

/// Positions 0 … count - 1 by `before(context, a, b)`; equal ones keep their order. One merge sort for all lists: each
/// std::sort is a copy of its own of some 3 KB in the WebAssembly module.
std::vector<int> order_of(int count, const void* context, bool (*before)(const void* context, int a, int b));

/// Sorts rows stably by `before(row, row)`.
template <class Row, class Before>
void sort_rows(std::vector<Row>& rows, const Before& before) {
  struct Context { const std::vector<Row>& rows; const Before& before; } const context{rows, before};
  const std::vector<int> order = order_of(static_cast<int>(rows.size()), &context, [](const void* c, int a, int b) {
    const Context& x = *static_cast<const Context*>(c);
    return x.before(x.rows[static_cast<std::size_t>(a)], x.rows[static_cast<std::size_t>(b)]);
  });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const int at : order) sorted.push_back(std::move(rows[static_cast<std::size_t>(at)]));
  rows.swap(sorted);
}

}  // namespace whichgpu
