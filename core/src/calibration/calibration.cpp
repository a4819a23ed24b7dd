#include "whichgpu/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "base/order.hpp"
#include <nlohmann/json.hpp>

#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

// FNV-1a, 64 bits (Fowler, Noll, Vo): stable over platforms, and short texts are all it hashes.
constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325ULL;
constexpr std::uint64_t kFnvPrime = 0x100000001b3ULL;
std::uint64_t fnv(std::string_view text, std::uint64_t hash = kFnvBasis) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

std::uint64_t slot(int coefficient, int level, Key key) {
  return ((key ^ (static_cast<std::uint64_t>(coefficient + 2) * 0x9e3779b97f4a7c15ULL)) * kFnvPrime) ^
         (static_cast<std::uint64_t>(level + 2) * 0xd1b54a32d192ed03ULL);
}
constexpr int kBaseLevel = -1;
constexpr int kSpreadCoefficient = -1;
double exp_of(double x, double) { return exp(x); }
double log_of(double x, double) { return log(x); }
double corner_of(double share, double power) { return pow(1.0 + pow(share, power), 1.0 / power); }  // as in soft_max

constexpr double kPriorResidualSd = 0.5;  // of a domain that was never fitted: shown as wide as it is unknown

}  // namespace

double Remembered::of(double (*function)(double, double), double x, double more) {
  const int at = at_++;
  if (at >= kPlaces) return function(x, more);
  Place& place = places_[at];
  if (place.function == function && place.argument == x) return place.value;
  const double value = function(x, more);
  if (record_) place = {function, x, value};
  return value;
}

double CoefficientView::exp(double x) const { return remembered_ ? remembered_->of(exp_of, x, 0) : whichgpu::exp(x); }
double CoefficientView::log(double x) const { return remembered_ ? remembered_->of(log_of, x, 0) : whichgpu::log(x); }
double CoefficientView::soft_max(double a, double b, double p) const {
  const double high = a > b ? a : b, low = a > b ? b : a;
  if (!remembered_ || !(low > 0)) return whichgpu::soft_max(a, b, p);
  return high * remembered_->of(corner_of, low / high, p);
}

Key key_of(std::string_view text) { return text.empty() ? 0 : fnv(text); }
Key key_of(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return 0;
  return fnv(b, fnv("|", fnv(a)));
}

const Effect* DomainCalibration::find(std::uint64_t hash) const {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (hash ^ (hash >> 32)) & mask;; at = (at + 1) & mask) {
    const std::int32_t entry = slots_[at];
    if (entry < 0) return nullptr;
    if (entries_[entry].hash == hash) return &entries_[entry].effect;
  }
}

Coefficients DomainCalibration::resolve(const DomainSpec& spec, const Keys& keys) const {
  Coefficients out;
  for (std::size_t i = 0; i < spec.coefficients.size(); ++i) {
    const CoefficientSpec& c = spec.coefficients[i];
    const int index = static_cast<int>(i);
    const Effect* base = find(slot(index, kBaseLevel, 0));
    double value = base ? base->value : c.base;
    double variance = base ? base->sd * base->sd : c.base_sd * c.base_sd;
    for (const LevelUse& use : c.levels) {
      const Key key = keys.at[use.level];
      if (key == 0) continue;
      if (const Effect* effect = find(slot(index, use.level, key))) {
        value += effect->value;
        variance += effect->sd * effect->sd;
      } else {
        variance += use.prior_sd * use.prior_sd;
      }
    }
    out.value[i] = value;
    out.variance[i] = variance;
  }
  return out;
}

double DomainCalibration::residual_sd(const DomainSpec& spec, const Keys& keys) const {
  const Effect* whole = find(slot(kSpreadCoefficient, kBaseLevel, 0));
  double sd = whole ? whole->value : kPriorResidualSd;
  for (const int level : spec.spread_levels) {
    const Key key = keys.at[level];
    if (key == 0) continue;
    if (const Effect* group = find(slot(kSpreadCoefficient, level, key))) sd = group->value;
  }
  return sd;
}

int DomainCalibration::rows_seen(int level, Key key) const {
  if (key == 0) return 0;
  const std::uint64_t hash = slot(0, level, key);
  const auto it = std::lower_bound(seen_.begin(), seen_.end(), hash, [](const Entry& e, std::uint64_t h) { return e.hash < h; });
  return it != seen_.end() && it->hash == hash ? it->effect.rows : 0;
}

void DomainCalibration::set_base(int coefficient, Effect effect) { entries_.push_back({slot(coefficient, kBaseLevel, 0), effect}); }
void DomainCalibration::set_effect(int coefficient, int level, Key key, Effect effect) {
  entries_.push_back({slot(coefficient, level, key), effect});
  seen_.push_back({slot(0, level, key), effect});
}
void DomainCalibration::set_spread(int level, Key key, double sd) {
  entries_.push_back({slot(kSpreadCoefficient, level, level < 0 ? 0 : key), {sd, 0, 0}});
}
void DomainCalibration::finish() {
  fitted = !entries_.empty();
  const auto by_hash = [](const Entry& a, const Entry& b) { return a.hash != b.hash ? a.hash < b.hash : a.effect.rows > b.effect.rows; };
  sort_rows(entries_, by_hash);
  // Half empty or more, so that a search ends after a step or two. Of equal hashes the first entry is found.
  std::size_t size = 1;
  while (size < 2 * entries_.size()) size *= 2;
  slots_.assign(entries_.empty() ? 0 : size, -1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = (entries_[i].hash ^ (entries_[i].hash >> 32)) & (size - 1);
    while (slots_[at] >= 0) at = (at + 1) & (size - 1);
    slots_[at] = static_cast<std::int32_t>(i);
  }
  sort_rows(seen_, by_hash);
  seen_.erase(std::unique(seen_.begin(), seen_.end(), [](const Entry& a, const Entry& b) { return a.hash == b.hash; }), seen_.end());
}

const DomainCalibration& Calibration::domain(std::string_view name) const {
  for (const DomainCalibration& d : domains)
    if (d.name == name) return d;
  static const DomainCalibration unfitted;
  return unfitted;
}

LogInterval interval_of(double log_value, double residual_sd, double coefficient_variance, IntervalScale scale) {
  constexpr double kZ80 = 1.2815515655446004;  // 90th percentile of the normal distribution
  const double residual = scale.residual * residual_sd;
  const double half = kZ80 * std::sqrt(residual * residual + scale.coefficients * scale.coefficients * coefficient_variance);
  return {exp(log_value - half), exp(log_value + half)};
}

// {"domains":[{"name":"decode","interval_scale":[1.1,0.7],"coefficients":[{"name":"memory_efficiency","base":[v,sd],
//   "levels":{"engine":{"llama.cpp":[v,sd,rows]}}}],"spread":{"all":0.1,"engine":{"vllm":0.2}}}]}
Result<Calibration> read_calibration(const json& document) {
  Calibration out;
  const auto domains = document.find("domains");
  if (domains == document.end() || !domains->is_array()) return Error{ErrorCode::kBadData, "calibration/domains", "expected an array"};
  const auto effect_of = [](const json& v) -> std::optional<Effect> {
    if (!v.is_array() || v.size() < 2 || !v[0].is_number() || !v[1].is_number()) return std::nullopt;
    return Effect{v[0].get<double>(), v[1].get<double>(), v.size() > 2 && v[2].is_number() ? v[2].get<int>() : 1};
  };
  for (const json& d : *domains) {
    const std::string name = d.is_object() ? d.value("name", std::string()) : std::string();
    const DomainSpec* spec = nullptr;
    for (const DomainSpec* s : all_domain_specs())
      if (name == s->name) spec = s;
    if (!spec) return Error{ErrorCode::kBadData, "calibration/domains", "unknown domain \"" + name + "\""};
    const std::string where = "calibration/" + name;
    const auto level_index = [&](const std::string& level) {
      for (std::size_t i = 0; i < spec->levels.size(); ++i)
        if (level == spec->levels[i]) return static_cast<int>(i);
      return -1;
    };
    DomainCalibration domain;
    domain.name = name;
    const json& scale = d.contains("interval_scale") ? d["interval_scale"] : json();
    if (!scale.is_array() || scale.size() != 2 || !scale[0].is_number() || !scale[1].is_number()) return Error{ErrorCode::kBadData, where + "/interval_scale", "expected two numbers"};
    domain.interval_scale = {scale[0].get<double>(), scale[1].get<double>()};
    const json coefficients = d.value("coefficients", json::array());
    for (const json& c : coefficients) {
      const std::string coefficient = c.is_object() ? c.value("name", std::string()) : std::string();
      int index = -1;
      for (std::size_t i = 0; i < spec->coefficients.size(); ++i)
        if (coefficient == spec->coefficients[i].name) index = static_cast<int>(i);
      if (index < 0) return Error{ErrorCode::kBadData, where + "/coefficients", "unknown coefficient \"" + coefficient + "\""};
      const auto base = effect_of(c.value("base", json()));
      if (!base) return Error{ErrorCode::kBadData, where + "/" + coefficient + "/base", "expected [value, sd]"};
      domain.set_base(index, *base);
      const json levels = c.value("levels", json::object());
      for (const auto& [level, effects] : levels.items()) {
        const int l = level_index(level);
        if (l < 0 || !effects.is_object()) return Error{ErrorCode::kBadData, where + "/" + coefficient + "/" + level, "unknown level"};
        for (const auto& [key, value] : effects.items()) {
          const auto effect = effect_of(value);
          if (!effect) return Error{ErrorCode::kBadData, where + "/" + coefficient + "/" + level + "/" + key, "expected [value, sd, rows]"};
          domain.set_effect(index, l, key_of(key), *effect);
        }
      }
    }
    const json spread = d.value("spread", json::object());
    for (const auto& [level, value] : spread.items()) {
      if (level == "all" && value.is_number()) {
        domain.set_spread(-1, 0, value.get<double>());
        continue;
      }
      const int l = level_index(level);
      if (l < 0 || !value.is_object()) return Error{ErrorCode::kBadData, where + "/spread/" + level, "unknown level"};
      for (const auto& [key, sd] : value.items()) {
        if (!sd.is_number()) return Error{ErrorCode::kBadData, where + "/spread/" + level + "/" + key, "expected a number"};
        domain.set_spread(l, key_of(key), sd.get<double>());
      }
    }
    domain.finish();
    out.domains.push_back(std::move(domain));
  }
  return out;
}

}  // namespace whichgpu
