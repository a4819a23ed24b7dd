#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "whichgpu/scaling.hpp"

namespace whichgpu::cli {
namespace {

using nlohmann::json;

std::string column(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string quantity(const json& row, const char* name) {
  if (!row.contains(name)) return "n/a";
  const json& q = row[name];
  if (q.is_number()) return format_number(q.get<double>(), 4);
  return format_number(q["value"].get<double>(), 4) + (q.contains("p10") ? " (" + format_number(q["p10"].get<double>(), 3) + "-" + format_number(q["p90"].get<double>(), 3) + ")" : "");
}

}  // namespace

int run_scale(const Catalog& catalog, const std::string& question, bool as_json) {
  const std::string answer = scaling_json(catalog, question);
  const json a = json::parse(answer, nullptr, false);
  const bool failed = a.contains("error");
  if (as_json || failed) {
    (failed && !as_json ? std::cerr : std::cout) << answer << '\n';
    return failed ? 1 : 0;
  }
  constexpr std::size_t kNarrow = 12, kWide = 28;
  for (const json& curve : a["curves"]) {
    std::cout << curve["gpu"].get<std::string>() << '\n'
              << column("  GPUs", kNarrow) << column("nodes", kNarrow) << column(curve["unit"].get<std::string>(), kWide) << column("efficiency", kNarrow) << column("hours", kWide) << column("USD/h", kNarrow) << "bound by\n";
    for (const json& p : curve["points"]) {
      std::cout << column("  " + quantity(p, "gpu_count"), kNarrow) << column(quantity(p, "nodes"), kNarrow) << column(p.contains("rate") ? quantity(p, "rate") : p["verdict"].get<std::string>(), kWide)
                << column(p.contains("efficiency") ? format_number(100 * p["efficiency"].get<double>(), 3) + " %" : "n/a", kNarrow) << column(quantity(p, "hours"), kWide) << column(quantity(p, "usd_per_hour"), kNarrow)
                << p.value("bound_by", "") << '\n';
    }
  }
  for (const json& o : a["overtakings"]) {
    std::cout << o["count"] << " x " << o["dearer"].get<std::string>() << ": ";
    if (o.contains("needed"))
      std::cout << o["needed"] << " x " << o["cheaper"].get<std::string>() << " are " << format_number(o["speed_ratio"].get<double>(), 3) << " times as fast at " << format_number(100 * o["price_ratio"].get<double>(), 3) << " % of the price\n";
    else std::cout << "no number of " << o["cheaper"].get<std::string>() << " here is as fast for less\n";
  }
  return 0;
}

}  // namespace whichgpu::cli
