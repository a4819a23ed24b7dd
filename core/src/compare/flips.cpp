#include "compare/flips.hpp"

#include <algorithm>
#include <cmath>

#include "compare/workloads.hpp"

namespace whichgpu::comparing {
namespace {

struct Standing {
  int winner = -1;
  std::vector<bool> runs;
};

/// Looks at the grid's neighbours and, where the winner differs, halves the stretch until it is 1 % wide.
template <class Ask>
void walk(const std::vector<double>& grid, bool whole, const char* workload, const char* axis, const char* by, const Ask& ask, std::vector<Flip>& flips) {
  Standing low = ask(grid.front());
  for (std::size_t i = 1; i < grid.size(); ++i) {
    const Standing next = ask(grid[i]);
    double from = grid[i - 1], to = grid[i];
    Standing before = low, after = next;
    low = next;
    if (before.winner == after.winner || after.winner < 0) continue;
    while (to - from > std::max(whole ? 1.0 : 0.0, 0.01 * from)) {
      const double middle = whole ? std::floor((from + to) / 2) : (from + to) / 2;
      const Standing at = ask(middle);
      if (at.winner == before.winner) {
        from = middle;
      } else {
        to = middle;
        after = at;
      }
    }
    if (after.winner < 0) continue;
    Flip f;
    f.workload = workload;
    f.axis = axis;
    f.by = by;
    f.at = to;
    f.before = before.winner;
    f.after = after.winner;
    f.others_stop = before.winner >= 0 && !after.runs.empty() && !after.runs[before.winner];
    flips.push_back(std::move(f));
  }
}

Standing standing(const Catalog& catalog, const CompareQuestion& question, const WorkloadSpec& spec, bool by_cost, void (*set)(Scenario&, double), double at) {
  std::vector<Outcome> outcomes;
  Standing out;
  for (const CompareSide& side : question.sides) {
    Scenario s = scenario_of(spec, question, side);
    set(s, at);
    outcomes.push_back(outcome_of(spec, catalog, s));
    out.runs.push_back(outcomes.back().value.has_value());
  }
  out.winner = contest(outcomes, spec.lower_is_better, by_cost).winner;
  return out;
}

/// Models people know, by size; what is not in the catalog is passed over.
constexpr const char* kLadder[] = {"llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "llama-2-13b", "gemma-2-27b", "qwen2.5-32b", "llama-3.1-70b", "mistral-large-2-123b", "llama-3.1-405b"};

}  // namespace

std::vector<Flip> find_flips(const Catalog& catalog, const CompareQuestion& question) {
  std::vector<Flip> flips;
  const WorkloadSpec& chat = workload("chat-small");
  const WorkloadSpec& serving = workload("serving");
  const auto long_prompt = [](Scenario& s, double tokens) {
    s.prompt_tokens = tokens;
    s.context_tokens = tokens + s.output_tokens;
    s.explicit_context = true;
  };
  const auto users = [](Scenario& s, double count) { s.concurrency = count; };
  for (const bool by_cost : {false, true}) {
    const char* by = by_cost ? "cost" : "speed";
    walk({128, 512, 2048, 8192, 16384, 32768, 65536, 130816}, true, chat.name, "prompt_tokens", by, [&](double at) { return standing(catalog, question, chat, by_cost, long_prompt, at); }, flips);
    walk({1, 2, 4, 8, 16, 32, 64, 128, 256}, true, serving.name, "concurrency", by, [&](double at) { return standing(catalog, question, serving, by_cost, users, at); }, flips);
    // Model sizes are steps, so there is nothing between two of them.
    Standing before;
    bool first = true;
    for (const char* id : kLadder) {
      const Model* model = catalog.find_model(id);
      if (!model) continue;
      WorkloadSpec spec = chat;
      spec.model = id;
      const Standing now = standing(catalog, question, spec, by_cost, [](Scenario&, double) {}, 0);
      if (!first && now.winner >= 0 && now.winner != before.winner)
        flips.push_back({chat.name, "model_parameters", by, model->params_total, model->id, before.winner, now.winner, before.winner >= 0 && !now.runs[before.winner]});
      before = now;
      first = false;
    }
  }
  return flips;
}

Figure month_usd(const RentOrOwn& money, double hours, double lifetime_months) {
  if (hours > kHoursPerMonth) return std::nullopt;
  Figure least;
  if (money.rent_usd_per_hour) least = *money.rent_usd_per_hour * hours;
  if (money.owned.known && lifetime_months > 0) {
    const double own = money.owned.hardware_usd / lifetime_months + money.owned.power_usd_per_hour * hours;
    if (!least || own < *least) least = own;
  }
  return least;
}

std::vector<Flip> find_money_flips(const std::vector<RentOrOwn>& money, const std::vector<Figure>& speeds, double lifetime_months) {
  std::vector<Flip> flips;
  if (speeds.empty() || !speeds[0]) return flips;
  const auto ask = [&](double hours) {
    Standing out;
    Figure least;
    for (std::size_t i = 0; i < money.size(); ++i) {
      const Figure usd = speeds[i] ? month_usd(money[i], hours * *speeds[0] / *speeds[i], lifetime_months) : std::nullopt;
      out.runs.push_back(usd.has_value());
      if (usd && (!least || *usd < *least)) {
        least = usd;
        out.winner = static_cast<int>(i);
      }
    }
    return out;
  };
  walk({1, 10, 25, 50, 100, 150, 200, 300, 400, 500, 600, kHoursPerMonth}, false, "chat-small", "hours_per_month", "cost", ask, flips);
  return flips;
}

}  // namespace whichgpu::comparing
