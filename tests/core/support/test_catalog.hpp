#pragma once
#include "whichgpu/catalog.hpp"

/// The catalog of data/, read once.
const whichgpu::Catalog& test_catalog();
const whichgpu::Model& model_of(const char* id);
const whichgpu::Quant& quant_of(const char* id);
const whichgpu::Gpu& gpu_of(const char* id);
