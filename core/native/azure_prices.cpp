#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "native/prices.hpp"

namespace whichgpu::native {
namespace {

using nlohmann::json;

/// Hours of the terms that a reservation's price is for.
constexpr double kHoursPerYear = 8760;

std::string text_of(const json& item, const char* key) {
  const auto it = item.find(key);
  return it != item.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// One page, a list of pages, or a page a line.
std::vector<json> pages_of(std::string_view text) {
  std::vector<json> pages;
  const json whole = json::parse(text.begin(), text.end(), nullptr, false);
  if (whole.is_array()) pages.assign(whole.begin(), whole.end());
  else if (!whole.is_discarded()) pages.push_back(whole);
  for (std::size_t at = 0; whole.is_discarded() && at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = trim(text.substr(at, end - at));
    if (!line.empty()) pages.push_back(json::parse(line.begin(), line.end(), nullptr, false));
    at = end + 1;
  }
  return pages;
}

enum class Kind { kNone, kOnDemand, kSpot, kReserved1y, kReserved3y };

/// Which price of a machine an item is. Windows costs extra, low priority is what spot replaced, and the prices for
/// testing are not for everyone.
Kind kind_of(const json& item) {
  const std::string type = text_of(item, "type"), sku = text_of(item, "skuName"), product = text_of(item, "productName"), term = text_of(item, "reservationTerm");
  if (contains(product, "Windows") || contains(product, "Cloud Services") || contains(product, "CloudServices") || contains(sku, "Low Priority")) return Kind::kNone;
  if (type == "Reservation") return term == "1 Year" ? Kind::kReserved1y : term == "3 Years" ? Kind::kReserved3y : Kind::kNone;
  if (type != "Consumption") return Kind::kNone;
  return contains(sku, "Spot") ? Kind::kSpot : Kind::kOnDemand;
}

}  // namespace

Result<PriceList> read_azure_prices(std::string_view text) {
  if (starts_with(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::vector<json> pages = pages_of(text);
  if (pages.empty()) return Error{ErrorCode::kBadData, "", "the price list is empty"};
  PriceList out;
  std::map<std::pair<std::string, std::string>, std::size_t> position;
  std::map<std::tuple<std::string, std::string, Kind>, std::string> since;  // an item may have a later one that follows it
  int number = 0;
  for (std::size_t p = 0; p < pages.size(); ++p) {
    const json& page = pages[p];
    const std::string where_page = "page " + std::to_string(p + 1);
    if (!page.is_object() || !page.contains("Items") || !page["Items"].is_array()) return Error{ErrorCode::kBadData, where_page, "expected {\"Items\": [...]}; this is no page of the Azure Retail Prices API, or it was cut off"};
    const std::string next = text_of(page, "NextPageLink");
    if (p + 1 == pages.size() && !next.empty()) return Error{ErrorCode::kBadData, where_page, "the list goes on at " + next + ": bring all its pages"};
    for (const json& item : page["Items"]) {
      ++number;
      const std::string instance = text_of(item, "armSkuName"), region = text_of(item, "armRegionName");
      const std::string where = "item " + std::to_string(number) + ", " + instance + " in " + region;
      if (!starts_with(instance, "Standard_N")) {  // the N series are the machines with GPUs
        ++out.without_gpu;
        continue;
      }
      const Kind kind = kind_of(item);
      if (kind == Kind::kNone || (item.contains("isPrimaryMeterRegion") && item["isPrimaryMeterRegion"] == false)) continue;
      if (text_of(item, "currencyCode") != "USD") return Error{ErrorCode::kBadData, where, "expected prices in USD, found \"" + text_of(item, "currencyCode") + "\""};
      const auto price = item.find("retailPrice");
      if (text_of(item, "unitOfMeasure") != "1 Hour" || region.empty() || price == item.end() || !price->is_number() || !(price->get<double>() > 0)) {
        out.nonsense.push_back({where, "has no region, or no price above 0 for 1 Hour"});
        continue;
      }
      std::string& start = since[{instance, region, kind}];
      const std::string begins = text_of(item, "effectiveStartDate");
      if (!start.empty() && begins < start) continue;
      start = begins;
      const auto [it, fresh] = position.try_emplace({instance, region}, out.prices.size());
      if (fresh) {
        out.prices.emplace_back();
        out.prices.back().instance = instance;
        out.prices.back().region = region;
      }
      ListedPrice& listed = out.prices[it->second];
      // A reservation's price is that of its whole term; a millionth of a dollar an hour is below what anybody is billed.
      const auto by_the_hour = [&](double years) { return std::floor(price->get<double>() / (kHoursPerYear * years) * 1e6 + 0.5) / 1e6; };
      switch (kind) {
        case Kind::kOnDemand: listed.usd_per_hour = price->get<double>(); break;
        case Kind::kSpot: listed.spot_usd_per_hour = price->get<double>(); break;
        case Kind::kReserved1y: listed.reserved_1y_usd_per_hour = by_the_hour(1); break;
        case Kind::kReserved3y: listed.reserved_3y_usd_per_hour = by_the_hour(3); break;
        case Kind::kNone: break;
      }
    }
  }
  for (const ListedPrice& p : out.prices)
    for (const Figure& less : {p.spot_usd_per_hour, p.reserved_1y_usd_per_hour, p.reserved_3y_usd_per_hour})
      if (less && p.usd_per_hour && *less > *p.usd_per_hour) out.nonsense.push_back({p.instance + " in " + p.region, "a spot or reserved price is above the price on demand"});
  out.prices.erase(std::remove_if(out.prices.begin(), out.prices.end(), [&](const ListedPrice& p) {
    return std::any_of(out.nonsense.begin(), out.nonsense.end(), [&](const Refusal& r) { return r.row == p.instance + " in " + p.region; });
  }), out.prices.end());
  if (out.prices.empty()) return Error{ErrorCode::kBadData, "", "the price list holds no price of a machine with GPUs"};
  return out;
}

}  // namespace whichgpu::native
