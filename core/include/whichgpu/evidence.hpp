#pragma once
#include <vector>

#include "whichgpu/estimate.hpp"
#include "whichgpu/measurement.hpp"

/// The measurements nearest to a question, each beside our own estimate for that measurement's conditions, so that
/// people can judge how far to trust an answer.
namespace whichgpu {

/// At most this many rows are shown.
inline constexpr std::size_t kMostEvidence = 8;

/// The rows nearest to the question, nearest first: the same model, GPU, engine, format and number of GPUs count before
/// the load. `ratio` is estimate / measured under the row's own conditions. Rows of other workloads, rows marked suspect,
/// pool or statement, and rows that are not modelled are left out; a row must share the model, or the GPU and the
/// model's family (of HPC: the GPU or its generation).
///
/// A row's `estimate` is used where it has one; `estimate` makes it for the others, which are left out without it: the
/// WebAssembly module reads files with estimates and holds none of the code that reads conditions into each model.
///
///   distance  "same": model, GPU, engine, format and number of GPUs are those of the question
///             "near": the model, on the GPU or on one of its generation
///             "far":  anything else that is shown
using RowEstimator = RowEstimate (*)(const Conditions&);
std::vector<EvidenceRow> find_evidence(const Question& question, const std::vector<MeasurementRow>& rows, RowEstimator estimate = nullptr);

}  // namespace whichgpu
