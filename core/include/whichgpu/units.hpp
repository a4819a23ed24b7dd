#pragma once
#include <compare>

namespace whichgpu {

inline constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;  ///< GiB: capacities
inline constexpr double kBytesPerGb = 1e9;                        ///< GB: data sheets and rates

/// An amount of memory, held in bytes. A double is exact up to 2^53 bytes (8 PiB).
struct Bytes {
  double value = 0.0;
  static constexpr Bytes from_gib(double gib) { return {gib * kBytesPerGib}; }
  static constexpr Bytes from_gb(double gb) { return {gb * kBytesPerGb}; }
  constexpr double gib() const { return value / kBytesPerGib; }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
  friend constexpr Bytes operator*(double k, Bytes b) { return {k * b.value}; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
};

/// A quantity of an answer: the value, and the 80 % interval where it is not exact.
struct Quantity {
  double value = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;
  const char* unit = "";
  bool exact = true;  ///< true: no interval (p10, p90 are not printed)

  static Quantity exactly(double value, const char* unit) { return {value, value, value, unit, true}; }
  static Quantity between(double value, double p10, double p90, const char* unit) { return {value, p10, p90, unit, false}; }
};

}  // namespace whichgpu
