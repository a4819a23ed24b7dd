#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "fit.hpp"
#include "native/files.hpp"
#include "whichgpu/math.hpp"

namespace {

using namespace whichgpu;
using namespace whichgpu::calibrate;
using nlohmann::json;
using ordered_json = nlohmann::ordered_json;

/// Coefficients are written with three decimals and spreads with two: far below what the data can tell, and the same on
/// every machine. The file is a part of the page's first load.
double rounded(double v) { return std::floor(v * 1e3 + 0.5) / 1e3; }
double rounded_spread(double v) { return std::floor(v * 1e2 + 0.5) / 1e2; }

/// Rows alike in these are one cell (the goals' definition).
std::string cell_of(const MeasurementRow& r) {
  std::string digits;
  bool number = !r.concurrency.empty();
  for (const char c : r.concurrency) number = number && c >= '0' && c <= '9';
  digits = number ? std::to_string(r.concurrency.size()) : r.concurrency;
  return r.gpu_name + "|" + r.gpu_count + "|" + r.model_name + "|" + r.software + "|" + r.precision + "|" + r.metric + "|" + r.method + "|" + r.sequence_or_resolution + "|" + digits;
}

/// A fold that depends on the name only: the same on every machine and after a row is added.
int fold_of(const std::string& name, int folds) { return static_cast<int>((key_of(name + "#fold") >> 17) % static_cast<std::uint64_t>(folds)); }

struct LeftOut { std::vector<double> log_predicted, sd; };  ///< sd of the log prediction by its coefficients

/// Predicts every row from fits that never saw the row's group.
LeftOut leave_out(const Domain& domain, const std::vector<Observation>& rows, const std::vector<std::string>& group, int folds, const Start& whole) {
  LeftOut out;
  out.log_predicted.assign(rows.size(), 0);
  out.sd.assign(rows.size(), 0);
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<bool> train(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) train[i] = fold_of(group[i], folds) != fold;
    const Layout layout(*domain.spec, rows, train);
    const Fitted fitted = fit(domain, rows, layout, train, &whole);
    const DomainCalibration calibration = to_calibration(*domain.spec, layout, fitted);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (train[i]) continue;
      Coefficients c = calibration.resolve(*domain.spec, rows[i].keys);
      const double base = rows[i].predict(c.value);
      double variance = 0;
      for (std::size_t k = 0; k < domain.spec->coefficients.size(); ++k) {
        if (c.variance[k] <= 0) continue;
        const double kept = c.value[k];
        c.value[k] = kept + 1e-3;
        const double share = (rows[i].predict(c.value) - base) / 1e-3;
        c.value[k] = kept;
        variance += share * share * c.variance[k];
      }
      out.log_predicted[i] = base;
      out.sd[i] = std::sqrt(variance);
    }
  }
  return out;
}

double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const double at = q * static_cast<double>(v.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  return low + 1 < v.size() ? v[low] + (at - static_cast<double>(low)) * (v[low + 1] - v[low]) : v[low];
}

/// Median and 90th percentile over cells of the cell's median absolute percentage error, crowd rows left out.
std::string cell_errors(const std::vector<Observation>& rows, const LeftOut& left, const std::string& metric) {
  std::map<std::string, std::vector<double>> cells;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].crowd && (metric.empty() || rows[i].metric == metric)) cells[rows[i].cell].push_back(std::abs(whichgpu::exp(left.log_predicted[i] - rows[i].log_measured) - 1));
  std::vector<double> medians;
  for (const auto& [cell, errors] : cells) medians.push_back(quantile(errors, 0.5));
  char text[80];
  std::snprintf(text, sizeof text, "%5.1f / %5.1f (%zu cells)", 100 * quantile(medians, 0.5), 100 * quantile(medians, 0.9), medians.size());
  return text;
}

/// The groups (GPUs, models, sources) that were missed most when they were left out: rows, median of estimate / measured.
std::string worst_groups(const std::vector<Observation>& rows, const LeftOut& left, std::string Observation::*group) {
  constexpr std::size_t kFewest = 5, kShown = 6;
  std::map<std::string, std::vector<double>> logs;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].crowd) logs[rows[i].*group].push_back(left.log_predicted[i] - rows[i].log_measured);
  std::vector<std::pair<double, std::string>> worst;
  for (const auto& [name, errors] : logs) {
    if (errors.size() < kFewest) continue;
    const double middle = quantile(errors, 0.5);
    char text[160];
    std::snprintf(text, sizeof text, "%s (%zu rows, x %.2f)", name.c_str(), errors.size(), whichgpu::exp(middle));
    worst.emplace_back(-std::abs(middle), text);
  }
  std::sort(worst.begin(), worst.end());
  std::string list;
  for (std::size_t i = 0; i < worst.size() && i < kShown; ++i) list += (i ? "; " : "") + worst[i].second;
  return list;
}

template <class... Values>
void print(std::string& out, const char* format, Values... values) {
  char line[1400];
  std::snprintf(line, sizeof line, format, values...);
  out += line;
}

ordered_json effect_json(const Layout::Parameter&, double value, double sd, int rows) { return ordered_json::array({rounded(value), rounded_spread(sd), rows}); }

}  // namespace

int main(int argc, char** argv) {
  std::string data = WHICHGPU_DATA_DIR, out_path, only;
  bool check = false, report = false, ablation = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (arg == "--data") data = value();
    else if (arg == "--out") out_path = value();
    else if (arg == "--only") only = value();
    else if (arg == "--check") check = true;
    else if (arg == "--report") report = true;
    else if (arg == "--ablation") report = ablation = true;
    else {
      std::fprintf(stderr, "usage: whichgpu_calibrate [--data DIR] [--out FILE] [--check] [--report] [--ablation] [--only DOMAIN]\n"
                           "Fits every domain on DIR/measurements and writes DIR/calibration.json (or FILE).\n"
                           "--check   writes nothing; exits 1 when the file is not what the fit makes\n"
                           "--report  prints errors leaving out cells, GPUs, models and sources (five folds each); writes nothing\n"
                           "--ablation  the report, and the errors without each term of the formulas, refitted; writes nothing\n"
                           "--only    fits one domain and prints its report; writes nothing\n");
      return arg == "--help" ? 0 : 2;
    }
  }
  if (out_path.empty()) out_path = data + "/calibration.json";
  const Result<json> document = native::read_catalog_dir(data, false);
  const Result<std::vector<MeasurementRow>> measurements = native::read_all_measurements(data + "/measurements");
  if (!document || !measurements) {
    const Error& e = !document ? document.error() : measurements.error();
    std::fprintf(stderr, "%s: %s\n", e.path.c_str(), e.message.c_str());
    return 1;
  }
  Result<Catalog> catalog = load_catalog(document.value());
  if (!catalog) {
    std::fprintf(stderr, "%s: %s\n", catalog.error().path.c_str(), catalog.error().message.c_str());
    return 1;
  }
  std::vector<Conditions> conditions;
  conditions.reserve(measurements.value().size());
  for (const MeasurementRow& row : measurements.value()) conditions.push_back(read_conditions(catalog.value(), row));

  struct Outcome { std::string text, report; DomainCalibration calibration; };
  const auto calibrate_domain = [&](const Domain& domain) {
    std::string said;
    const DomainSpec& spec = *domain.spec;
    std::vector<Observation> rows;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const MeasurementRow& row = measurements.value()[i];
      if (row.quality == "suspect" || row.quality == "pool" || row.quality == "statement") continue;
      const Figure value = measured_value(row);
      if (!value || *value <= 0) continue;
      Observation o;
      o.key_names.assign(spec.levels.size(), "");
      o.log_measured = whichgpu::log(*value);
      if (!domain.observe(conditions[i], row, o)) continue;
      o.id = row.id;
      o.source = row.source;
      o.cell = cell_of(row);
      o.gpu = row.gpu_name;
      o.model = row.model_name;
      o.metric = row.metric;
      o.crowd = row.quality == "crowd";
      rows.push_back(std::move(o));
    }
    std::vector<std::string> cells, gpus, models, sources;
    for (const Observation& o : rows) {
      cells.push_back(o.cell);
      gpus.push_back(o.gpu);
      models.push_back(o.model);
      sources.push_back(o.source);
    }
    const bool full = report || !only.empty();
    const int folds = full ? 5 : 3;
    const std::vector<bool> all(rows.size(), true);
    const Layout layout(spec, rows, all);
    const Fitted fitted = fit(domain, rows, layout, all);
    const Start start{&layout, &fitted};
    const LeftOut by_cell = leave_out(domain, rows, cells, folds, start);
    const LeftOut by_source = leave_out(domain, rows, sources, folds, start);
    const LeftOut by_gpu = leave_out(domain, rows, gpus, folds, start);
    const LeftOut by_model = leave_out(domain, rows, models, folds, start);

    // Residual spread by group: the half width that holds 80 % of the left-out rows of the group, as a normal sd, and
    // shrunk towards the whole as if by kShrinkRows further rows. Rows that users sent in hide wrong sizes and partial
    // offload; what they miss by is no error of an estimate, so they widen no interval.
    constexpr double kZ80 = 1.2815515655446004, kShrinkRows = 30;
    const auto spread_of = [&](const std::vector<std::size_t>& members) {
      std::vector<double> r;
      for (const std::size_t i : members) r.push_back(std::abs(rows[i].log_measured - by_cell.log_predicted[i]));
      return quantile(r, 0.8) / kZ80;
    };
    std::vector<std::size_t> everyone;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].crowd) everyone.push_back(i);
    const double whole = spread_of(everyone);
    DomainCalibration calibration = to_calibration(spec, layout, fitted);
    calibration.set_spread(-1, 0, rounded(whole));
    ordered_json spread = {{"all", rounded(whole)}};
    for (const int level : spec.spread_levels) {
      std::map<std::string, std::vector<std::size_t>> groups;
      for (const std::size_t i : everyone)
        if (rows[i].keys.at[level] != 0) groups[rows[i].key_names[level]].push_back(i);
      for (const auto& [name, members] : groups) {
        if (members.size() < 10) continue;
        const double n = static_cast<double>(members.size()), own = spread_of(members);
        const double sd = rounded(std::sqrt((n * own * own + kShrinkRows * whole * whole) / (n + kShrinkRows)));
        spread[spec.levels[level]][name] = sd;
        calibration.set_spread(level, key_of(name), sd);
      }
    }
    calibration.finish();
    // Two factors so that intervals hold 80 % of the rows in each of the four ways of leaving out, as nearly as two
    // factors can: the pair of a grid with the least sum of squared misses. The first keeps half of the scatter at least,
    // since it tells metrics and engines apart.
    const LeftOut* const ways_left[] = {&by_cell, &by_gpu, &by_model, &by_source};
    struct Miss { double error2, residual2, coefficients2; };
    std::vector<Miss> misses[4];
    for (int way = 0; way < 4; ++way)
      for (const std::size_t i : everyone) {
        const double error = rows[i].log_measured - ways_left[way]->log_predicted[i], sd = calibration.residual_sd(spec, rows[i].keys), own = ways_left[way]->sd[i];
        misses[way].push_back({error * error / (kZ80 * kZ80), sd * sd, own * own});
      }
    const auto held = [&](int way, double residual, double coefficients) {
      std::size_t inside = 0;
      for (const Miss& m : misses[way]) inside += m.error2 <= residual * residual * m.residual2 + coefficients * coefficients * m.coefficients2;
      return everyone.empty() ? 0.8 : static_cast<double>(inside) / static_cast<double>(everyone.size());
    };
    double residual_scale = 1, coefficient_scale = 1, least = 1e9;
    for (int r = 10; r <= 32; ++r)
      for (int c = 0; c <= 60; ++c) {
        double sum = 0;
        for (int way = 0; way < 4; ++way) {
          const double miss = held(way, 0.05 * r, 0.05 * c) - 0.8;
          sum += miss * miss;
        }
        if (sum < least) {
          least = sum;
          residual_scale = 0.05 * r;
          coefficient_scale = 0.05 * c;
        }
      }
    residual_scale = rounded(residual_scale);
    coefficient_scale = rounded(coefficient_scale);

    if (full) {
      print(said, "%s: %zu rows, %zu parameters, residual sd %.3f, interval scales %.2f %.2f\n", spec.name, rows.size(), layout.parameters.size(), whole, residual_scale, coefficient_scale);
      std::set<std::string> metrics = {""};
      for (const Observation& o : rows) metrics.insert(o.metric);
      for (const std::string& metric : metrics) {
        print(said, "  %-26s cells %s  gpus %s\n", metric.empty() ? "all" : metric.c_str(), cell_errors(rows, by_cell, metric).c_str(), cell_errors(rows, by_gpu, metric).c_str());
        print(said, "  %-26s models %s sources %s\n", "", cell_errors(rows, by_model, metric).c_str(), cell_errors(rows, by_source, metric).c_str());
      }
      if (ablation) {
        print(said, "  %-26s cells %s  sources %s\n", "with every term", cell_errors(rows, by_cell, "").c_str(), cell_errors(rows, by_source, "").c_str());
        for (const Domain::AblatedTerm& term : domain.terms) {
          DomainSpec without = spec;
          for (CoefficientSpec& c : without.coefficients)
            if (term.coefficient == c.name) c = {c.name, term.gone, 1e-6, {}};
          Domain ablated = domain;
          ablated.spec = &without;
          const Layout smaller(without, rows, all);
          const Fitted refitted = fit(ablated, rows, smaller, all);
          const Start from{&smaller, &refitted};
          print(said, "  without %-18s cells %s  sources %s\n", term.coefficient.c_str(), cell_errors(rows, leave_out(ablated, rows, cells, folds, from), "").c_str(),
                cell_errors(rows, leave_out(ablated, rows, sources, folds, from), "").c_str());
        }
      }
      const char* const names[] = {"cells", "gpus", "models", "sources"};
      print(said, "  missed most: GPUs    %s\n", worst_groups(rows, by_gpu, &Observation::gpu).c_str());
      print(said, "               models  %s\n", worst_groups(rows, by_model, &Observation::model).c_str());
      print(said, "               sources %s\n", worst_groups(rows, by_source, &Observation::source).c_str());
      for (int way = 0; way < 4; ++way) print(said, "  intervals hold %.1f %% leaving out %s\n", 100 * held(way, residual_scale, coefficient_scale), names[way]);
    }
    std::string text = std::string("{\"name\":\"") + spec.name + "\",\"rows\":" + std::to_string(rows.size()) + ",\"interval_scale\":" + ordered_json{residual_scale, coefficient_scale}.dump() + ",\"spread\":" + spread.dump() + ",\"coefficients\":[";
    for (std::size_t c = 0; c < spec.coefficients.size(); ++c) {
      ordered_json levels = ordered_json::object(), base;
      for (std::size_t l = 0; l < spec.levels.size(); ++l) {
        std::map<std::string, ordered_json> effects;
        for (std::size_t p = 0; p < layout.parameters.size(); ++p)
          if (layout.parameters[p].coefficient == static_cast<int>(c) && layout.parameters[p].level == static_cast<int>(l))
            effects[layout.parameters[p].key] = effect_json(layout.parameters[p], fitted.value[p], fitted.sd[p], fitted.rows[p]);
        for (const auto& [key, value] : effects) levels[spec.levels[l]][key] = value;
      }
      base = ordered_json::array({rounded(fitted.value[c]), rounded_spread(fitted.sd[c]), fitted.rows[c]});
      text += std::string(c ? ",\n" : "\n") + "  {\"name\":\"" + spec.coefficients[c].name + "\",\"base\":" + base.dump() + ",\"levels\":" + levels.dump() + "}";
    }
    text += "]}";
    return Outcome{std::move(text), std::move(said), std::move(calibration)};
  };
  const std::vector<Domain>& domains = all_domains();
  const auto is_used = [&](const Domain& d) {
    return std::any_of(domains.begin(), domains.end(), [&](const Domain& user) { return std::find(user.uses.begin(), user.uses.end(), d.spec->name) != user.uses.end(); });
  };
  std::vector<Outcome> outcomes(domains.size());
  // First the domains that stand alone, then those that use their fits. Within a phase domains do not touch each other:
  // each core takes the next one, and the file keeps their order.
  for (const bool users : {false, true}) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < domains.size(); i = next++)
        if (users != domains[i].uses.empty() && (only.empty() || only == domains[i].spec->name || is_used(domains[i]))) outcomes[i] = calibrate_domain(domains[i]);
    };
    std::thread second(work);
    work();
    second.join();
    if (!users)
      for (Outcome& o : outcomes)
        if (o.calibration.fitted) catalog.value().calibration.domains.push_back(o.calibration);
  }
  std::string text = "{\"domains\":[";
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    text += (i ? ",\n" : "\n") + outcomes[i].text;
    std::fputs(outcomes[i].report.c_str(), stdout);
  }
  text += "\n]}\n";
  if (!only.empty() || report) return 0;  // more folds than the file's spreads are made from
  if (check) {
    const Result<std::string> kept = native::read_file(out_path);
    if (kept && kept.value() == text) {
      std::printf("%s is what the fit makes\n", out_path.c_str());
      return 0;
    }
    std::fprintf(stderr, "%s is not what the fit makes: run scripts/calibrate\n", out_path.c_str());
    return 1;
  }
  if (const auto e = native::write_file(out_path, text)) {
    std::fprintf(stderr, "%s: %s\n", e->path.c_str(), e->message.c_str());
    return 1;
  }
  std::printf("wrote %s\n", out_path.c_str());
  return 0;
}
