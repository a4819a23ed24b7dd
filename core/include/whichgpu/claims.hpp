#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/catalog.hpp"

/// What published comparisons of the RTX A6000, the RTX 4090 and the A100 say, beside what the data and the estimates say.
namespace whichgpu {

struct ClaimText { std::string en, es; };

enum class ClaimVerdict { kAgree, kPartly, kDisagree };
const char* to_word(ClaimVerdict v);

struct Claim {
  const char* id;
  const char* about;    ///< "a6000-a100" or "4090-a100": the comparison that says it
  ClaimText said;
  ClaimText ours;       ///< the answer with its numbers
  ClaimVerdict verdict;
};

/// Every claim, answered from the catalog and the estimates of today. The verdict follows from the numbers by the rule
/// written beside each claim, so that new data can change it.
std::vector<Claim> check_claims(const Catalog& catalog);

nlohmann::json to_json(const std::vector<Claim>& claims);

}  // namespace whichgpu
