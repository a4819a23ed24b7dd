#include <iostream>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "whichgpu/ownership.hpp"

namespace whichgpu::cli {
namespace {

using nlohmann::json;

std::string column(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string amount(const json& row, const char* name) { return row.contains(name) ? format_number(row[name].get<double>(), 4) : "n/a"; }

std::string pays(const json& offer) {
  const std::string word = offer.value("owning_pays", "n/a"), hours = amount(offer, "hours_per_month");
  if (word == "from") return "from " + hours + " h a month";
  return word == "up-to" ? "up to " + hours + " h a month" : word;
}

}  // namespace

int run_own(const Catalog& catalog, const std::string& scenario, bool as_json) {
  const std::string answer = ownership_json(catalog, scenario);
  const json a = json::parse(answer, nullptr, false);
  const bool failed = a.contains("error");
  if (as_json || failed) {
    (failed && !as_json ? std::cerr : std::cout) << answer << '\n';
    return failed ? 1 : 0;
  }
  if (a.contains("owned")) {
    const json& o = a["owned"];
    std::cout << "owning: " << amount(o, "hardware_usd") << " USD (" << o["price_basis"].get<std::string>() << "), " << amount(o, "idle_month_usd") << " USD a month without use, and "
              << (o.contains("power_usd_per_hour") ? amount(o, "power_usd_per_hour") + " USD for electricity an hour" : "electricity left out") << '\n';
  }
  constexpr std::size_t kName = 26, kNarrow = 14, kWide = 28;
  std::cout << column("provider", kName) << column("kind", kNarrow) << column("USD/h", kNarrow) << column("owning is cheaper", kWide) << column("paid after", kNarrow) << "price of\n";
  for (const json& o : a["offers"])
    std::cout << column(o["provider"].get<std::string>(), kName) << column(o["kind"].get<std::string>(), kNarrow) << column(amount(o, "usd_per_hour"), kNarrow) << column(pays(o), kWide)
              << column(o.contains("months") ? amount(o, "months") + " months" : "never", kNarrow) << o["price_date"].get<std::string>() << (o["stale"] == true ? " (old)" : "") << '\n';
  for (const json& w : a["warnings"]) std::cout << w["message"].get<std::string>() << '\n';
  return 0;
}

}  // namespace whichgpu::cli
