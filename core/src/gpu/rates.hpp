#pragma once
#include "whichgpu/catalog.hpp"

/// Rates that a GPU's kernels can really use, in FLOP/s; 0 where the catalog knows none.
namespace whichgpu {

/// 16-bit matrix products summed in 32 bits: tensor cores where there are any, else the vector units.
double half_rate(const Gpu& gpu);
/// 32-bit products on tensor cores (TF32) where there are any, else the vector units.
double tf32_rate(const Gpu& gpu);
/// 32-bit vector arithmetic.
double single_rate(const Gpu& gpu);
/// 8-bit integer matrix products; the 16-bit rate where there is no faster path.
double int8_rate(const Gpu& gpu);
/// 8-bit floating-point matrix products; the 16-bit rate where there is no faster path.
double fp8_rate(const Gpu& gpu);
/// 64-bit: matrix units where there are any, else the vector units.
double double_rate(const Gpu& gpu);
/// Bytes per second from the device's memory.
double memory_rate(const Gpu& gpu);
/// Bytes per second each way over the card's slot: x16 is 16, 32 and 64 GB/s for generations 3, 4 and 5; generation 4 where
/// the catalog knows none.
double pcie_rate(const Gpu& gpu);
/// Memory that programs can use, GiB; 0 unknown.
double memory_gib(const Gpu& gpu);

}  // namespace whichgpu
