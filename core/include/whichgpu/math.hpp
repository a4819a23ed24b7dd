#pragma once

/// Elementary functions made only of IEEE 754 exact operations (+ - * / and bit moves), so that the native program and
/// the WebAssembly module print the same digits. Never use the C library's exp, log or pow in the core.
namespace whichgpu {

/// e^x, relative error below 1e-15; 0 below -745, +infinity above 709.78. NaN stays NaN.
double exp(double x);

/// Natural logarithm, relative error below 1e-15 away from 1 (absolute below 1e-16 near 1); -infinity at 0, NaN below.
double log(double x);

/// base^exponent for base > 0, as exp(exponent * log(base)).
double pow(double base, double exponent);

/// (a^p + b^p)^(1/p): a maximum with a soft corner; p large is the plain maximum. For a, b >= 0.
double soft_max(double a, double b, double p);

}  // namespace whichgpu
