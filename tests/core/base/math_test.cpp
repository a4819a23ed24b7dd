#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "whichgpu/math.hpp"

using Catch::Matchers::WithinRel;

TEST_CASE("exp and log agree with the C library to the last digits", "[math]") {
  for (double x = -700; x <= 700; x += 0.37) CHECK_THAT(whichgpu::exp(x), WithinRel(std::exp(x), 4e-15 + 2e-16 * std::abs(x)));
  for (double x = 1e-300; x < 1e300; x *= 1.7) CHECK(std::abs(whichgpu::log(x) - std::log(x)) <= 1e-15 * std::abs(std::log(x)) + 1e-16);
  CHECK(whichgpu::exp(0) == 1.0);
  CHECK(whichgpu::log(1) == 0.0);
  CHECK(whichgpu::exp(-800) == 0.0);
  CHECK(std::isinf(whichgpu::exp(800)));
  CHECK(std::isnan(whichgpu::log(-1)));
  CHECK_THAT(whichgpu::pow(2, 10), WithinRel(1024.0, 1e-14));
}

TEST_CASE("a soft maximum lies above both and near the larger", "[math]") {
  CHECK_THAT(whichgpu::soft_max(3, 4, 2), WithinRel(5.0, 1e-14));  // the hypotenuse
  CHECK_THAT(whichgpu::soft_max(1, 100, 4), WithinRel(100.0, 1e-8));
  CHECK(whichgpu::soft_max(0, 7, 3) == 7.0);
}

TEST_CASE("numbers are read and written without a locale", "[text]") {
  CHECK(whichgpu::format_number(0.0123) == "0.0123");
  CHECK(whichgpu::format_number(118.04, 3) == "118");
  CHECK(whichgpu::format_number(999.96, 4) == "1000");
  CHECK(whichgpu::format_number(1e20) == "1e+20");
  CHECK(whichgpu::format_number(-2.5) == "-2.5");
  CHECK(whichgpu::to_number("0.5").value() == 0.5);
  CHECK(whichgpu::to_number("007").value() == 7);
  CHECK_FALSE(whichgpu::to_number("1.5x"));
  CHECK_FALSE(whichgpu::to_number("nan"));
  CHECK(whichgpu::first_number("batch 16 (auto)").value() == 16);
  CHECK(whichgpu::first_number("32k context").value() == 32768);
  CHECK(whichgpu::first_number("1,281,167 images").value() == 1281167);
  CHECK(whichgpu::number_after("tp=8 pp4", "pp").value() == 4);
  CHECK_FALSE(whichgpu::number_after("mtp 3", "tp"));
}
