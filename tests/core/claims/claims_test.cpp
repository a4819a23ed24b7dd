#include "whichgpu/claims.hpp"

#include <map>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "support/test_catalog.hpp"

namespace whichgpu {
namespace {

TEST_CASE("published claims are answered by the data and the estimates", "[claims]") {
  std::map<std::string, Claim> by_id;
  for (const Claim& c : check_claims(test_catalog())) {
    CAPTURE(c.id);
    for (const std::string* text : {&c.said.en, &c.said.es, &c.ours.en, &c.ours.es}) CHECK(text->size() > 10);
    CHECK(c.ours.en.find("nan") == std::string::npos);
    CHECK(c.ours.en.find(" 0 ") == std::string::npos);  // a figure that is not known must not read as zero
    by_id.emplace(c.id, c);
  }
  // Facts and arithmetic fix these; the others follow prices and fits, and may change with the data.
  const std::map<std::string, const char*> fixed = {{"bandwidth", "partly"}, {"training-speed", "agree"}, {"70b-on-a100", "partly"}, {"70b-on-a6000", "agree"}, {"fp16-rates", "partly"},
      {"80gb-doubles", "disagree"}, {"24gb", "partly"}, {"power", "agree"}, {"rag-a100-40", "disagree"}, {"azure-nd-a100", "partly"}, {"lambda-a6000", "disagree"}, {"7b-speed", "partly"}};
  for (const auto& [id, verdict] : fixed) {
    CAPTURE(id);
    REQUIRE(by_id.count(id) == 1);
    CHECK(std::string(to_word(by_id.at(id).verdict)) == verdict);
  }
  CHECK(by_id.size() == 19);
  CHECK(by_id.at("bandwidth").ours.en.find("2.02 times with 40 GB, 2.65 times with 80 GB") != std::string::npos);  // 1555 and 2039 over 768
  CHECK(by_id.at("rag-a100-40").ours.en.find("6.44 requests in flight") != std::string::npos);                      // 2.8 per second times 2.3 s
}

}  // namespace
}  // namespace whichgpu
