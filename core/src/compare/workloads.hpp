#pragma once
#include "whichgpu/compare.hpp"

/// The workloads that machines are compared in, and the axes along which the better one may change.
namespace whichgpu::comparing {

struct WorkloadSpec {
  const char* name;
  const char* model;         ///< empty: none
  int times_gpus;            ///< the side's GPUs times this
  void (*set)(Scenario&);
  const char* metric;
  bool lower_is_better;
};
const std::vector<WorkloadSpec>& workloads();
const WorkloadSpec& workload(std::string_view name);

/// The scenario of a side for a workload; the side's offer and the base's date and ownership are kept.
Scenario scenario_of(const WorkloadSpec& spec, const CompareQuestion& question, const CompareSide& side);

/// What the answer says in the workload's metric.
Outcome outcome_of(const WorkloadSpec& spec, const Catalog& catalog, const Scenario& scenario);

/// `by_cost`: compares costs, else values.
Contest contest(const std::vector<Outcome>& outcomes, bool lower_is_better, bool by_cost);

}  // namespace whichgpu::comparing
