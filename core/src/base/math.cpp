#include "whichgpu/math.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace whichgpu {
namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;  // ln 2 split in two so that k * high is exact (Cody and Waite)
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kLog2E = 1.44269504088896338700;

/// std::bit_cast, which the library of Emscripten 3.1.6 does not have yet.
template <class To, class From>
To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

/// 1/2!, 1/3!, ... 1/13!: a multiplication costs a fifth of a division.
constexpr double kInverseFactorials[] = {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
/// 1/1, 1/3, ... 1/21.
constexpr double kInverseOdd[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};

/// 2^k for a normal result.
double power_of_two(int k) { return bits_as<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

}  // namespace

double exp(double x) {
  if (x != x) return x;
  if (x > 709.78) return std::numeric_limits<double>::infinity();
  if (x < -745.0) return 0.0;
  const int k = static_cast<int>(std::floor(x * kLog2E + 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= ln 2 / 2
  // Taylor series; the first term left out, r^14 / 14!, is below 5e-18.
  double sum = kInverseFactorials[11];
  for (int n = 10; n >= 0; --n) sum = sum * r + kInverseFactorials[n];
  sum = 1.0 + (r + r * r * sum);
  if (k < -1000) return sum * power_of_two(k + 100) * power_of_two(-100);  // subnormal results
  return k > 1023 ? sum * 2.0 * power_of_two(k - 1) : sum * power_of_two(k);
}

double log(double x) {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x > std::numeric_limits<double>::max()) return x;
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal: bring into the normal range first
    x *= 18014398509481984.0;                    // 2^54
    exponent = -54;
  }
  std::uint64_t bits = bits_as<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = bits_as<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);  // [1, 2)
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh s with s = (m - 1) / (m + 1), |s| <= 0.1716; the first term left out, 2 s^23 / 23, is below 1e-18.
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0.0;
  for (int n = 10; n >= 0; --n) sum = sum * s2 + kInverseOdd[n];
  return exponent * kLn2High + (2.0 * s * sum + exponent * kLn2Low);
}

double pow(double base, double exponent) { return exp(exponent * log(base)); }

double soft_max(double a, double b, double p) {
  const double high = a > b ? a : b;
  const double low = a > b ? b : a;
  if (!(low > 0)) return high;
  return high * pow(1.0 + pow(low / high, p), 1.0 / p);
}

}  // namespace whichgpu
