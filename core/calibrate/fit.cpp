#include "fit.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace whichgpu::calibrate {
namespace {

constexpr double kStudentNu = 3.0;   // degrees of freedom of the residuals: heavy tails
constexpr int kIterations = 14;
constexpr int kWarmIterations = 5;
constexpr double kStep = 1e-4;       // for the derivative of a prediction by a coefficient
constexpr double kLargestMove = 1.0; // of a parameter in one iteration

std::vector<double> cell_weights(const Domain& domain, const std::vector<Observation>& observations, const std::vector<bool>& train) {
  std::map<std::string, int> rows_in_cell;
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (train[i]) ++rows_in_cell[observations[i].cell];
  std::vector<double> weight(observations.size(), 0.0);
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (train[i]) weight[i] = (observations[i].crowd ? domain.crowd_weight : 1.0) / rows_in_cell[observations[i].cell];
  return weight;
}

}  // namespace

Layout::Layout(const DomainSpec& spec, const std::vector<Observation>& observations, const std::vector<bool>& train)
    : coefficients_(spec.coefficients.size()), index_(observations.size() * spec.coefficients.size()) {
  std::map<std::pair<std::pair<int, int>, std::string>, int> known;
  const auto intern = [&](int c, int level, const std::string& key, double mean, double sd) {
    const auto [it, added] = known.insert({{{c, level}, key}, static_cast<int>(parameters.size())});
    if (added) parameters.push_back({c, level, key, mean, sd});
    return it->second;
  };
  for (std::size_t c = 0; c < coefficients_; ++c) intern(static_cast<int>(c), -1, "", spec.coefficients[c].base, spec.coefficients[c].base_sd);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (!train[i]) continue;
    for (std::size_t c = 0; c < coefficients_; ++c)
      for (const LevelUse& use : spec.coefficients[c].levels)
        if (observations[i].keys.at[use.level] != 0) intern(static_cast<int>(c), use.level, observations[i].key_names[use.level], 0.0, use.prior_sd);
  }
  for (std::size_t i = 0; i < observations.size(); ++i)
    for (std::size_t c = 0; c < coefficients_; ++c) {
      std::vector<int>& out = index_[i * coefficients_ + c];
      out.push_back(static_cast<int>(c));
      for (const LevelUse& use : spec.coefficients[c].levels) {
        if (observations[i].keys.at[use.level] == 0) continue;
        const auto it = known.find({{static_cast<int>(c), use.level}, observations[i].key_names[use.level]});
        if (it != known.end()) out.push_back(it->second);
      }
    }
}

namespace {

void coefficients_of(const DomainSpec& spec, const Layout& layout, std::size_t i, const std::vector<double>& value, double* out) {
  for (std::size_t c = 0; c < spec.coefficients.size(); ++c) {
    double sum = 0;
    for (const int p : layout.of(i, static_cast<int>(c))) sum += value[p];
    out[c] = sum;
  }
}

}  // namespace

std::vector<double> predict_all(const DomainSpec& spec, const std::vector<Observation>& observations, const Layout& layout, const std::vector<double>& value) {
  std::vector<double> out(observations.size());
  double c[kMaxCoefficients] = {};
  for (std::size_t i = 0; i < observations.size(); ++i) {
    coefficients_of(spec, layout, i, value, c);
    out[i] = observations[i].predict(c);
  }
  return out;
}

Fitted fit(const Domain& domain, const std::vector<Observation>& observations, const Layout& layout, const std::vector<bool>& train, const Start* start) {
  const DomainSpec& spec = *domain.spec;
  const std::size_t n = observations.size();
  const int effects = static_cast<int>(layout.parameters.size());
  std::map<std::string, int> sources;
  std::vector<int> source_of(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    if (train[i]) source_of[i] = sources.insert({observations[i].source, static_cast<int>(sources.size())}).first->second;
  const std::vector<double> weight = cell_weights(domain, observations, train);

  // A source's effect touches its own rows only, so it is eliminated row by row (Schur complement): the solve stays as
  // small as the number of effects.
  const int source_count = static_cast<int>(sources.size());
  std::vector<double> theta(effects), source_value(source_count, 0.0);
  for (int p = 0; p < effects; ++p) theta[p] = layout.parameters[p].prior_mean;
  if (start) {
    std::map<std::pair<std::pair<int, int>, std::string>, double> known;
    for (std::size_t p = 0; p < start->layout->parameters.size(); ++p) {
      const Layout::Parameter& whole = start->layout->parameters[p];
      known[{{whole.coefficient, whole.level}, whole.key}] = start->fitted->value[p];
    }
    for (int p = 0; p < effects; ++p) {
      const Layout::Parameter& own = layout.parameters[p];
      const auto it = known.find({{own.coefficient, own.level}, own.key});
      if (it != known.end()) theta[p] = it->second;
    }
  }
  Eigen::MatrixXd a(effects, effects);
  Eigen::VectorXd b(effects);
  Fitted out;
  out.rows.assign(effects, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (train[i])
      for (std::size_t c = 0; c < spec.coefficients.size(); ++c)
        for (const int p : layout.of(i, static_cast<int>(c))) ++out.rows[p];

  std::vector<std::pair<int, double>> gradient;
  std::vector<std::vector<std::pair<int, double>>> source_cross(source_count);
  std::vector<double> source_a(source_count), source_b(source_count);
  double scale = start ? domain.residual_scale : std::max(domain.residual_scale, domain.first_residual_scale);
  const int iterations = start ? kWarmIterations : kIterations;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    a.setZero();
    b.setZero();
    std::fill(source_a.begin(), source_a.end(), 1.0 / (domain.source_sd * domain.source_sd));
    for (int s = 0; s < source_count; ++s) {
      source_b[s] = -source_value[s] / (domain.source_sd * domain.source_sd);
      source_cross[s].clear();
    }
    for (int p = 0; p < effects; ++p) {
      const double sd = layout.parameters[p].prior_sd > 0 ? layout.parameters[p].prior_sd : 1e-9;
      a(p, p) += 1.0 / (sd * sd);
      b(p) += (layout.parameters[p].prior_mean - theta[p]) / (sd * sd);
    }
    double c[kMaxCoefficients] = {};
    for (std::size_t i = 0; i < n; ++i) {
      if (!train[i]) continue;
      coefficients_of(spec, layout, i, theta, c);
      const double predicted = observations[i].predict(c);
      const int s = source_of[i];
      const double residual = observations[i].log_measured - predicted - source_value[s];
      const double spread = scale * observations[i].noise;
      const double u = residual / spread;
      const double w = weight[i] * (kStudentNu + 1) / (kStudentNu + u * u) / (spread * spread);
      gradient.clear();
      for (std::size_t k = 0; k < spec.coefficients.size(); ++k) {
        const double kept = c[k];
        c[k] = kept + kStep;
        const double slope = (observations[i].predict(c) - predicted) / kStep;
        c[k] = kept;
        if (slope == 0) continue;
        for (const int p : layout.of(i, static_cast<int>(k))) gradient.emplace_back(p, slope);
      }
      // The solver reads the lower triangle alone.
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        const auto [p, gp] = gradient[j];
        b(p) += w * gp * residual;
        for (std::size_t k = 0; k <= j; ++k) a(std::max(p, gradient[k].first), std::min(p, gradient[k].first)) += w * gp * gradient[k].second;
        source_cross[s].emplace_back(p, w * gp);
      }
      source_a[s] += w;
      source_b[s] += w * residual;
    }
    for (int s = 0; s < source_count; ++s) {
      std::vector<std::pair<int, double>>& cross = source_cross[s];
      std::sort(cross.begin(), cross.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      std::size_t m = 0;
      for (std::size_t j = 0; j < cross.size(); ++j) {
        if (m > 0 && cross[m - 1].first == cross[j].first) cross[m - 1].second += cross[j].second;
        else cross[m++] = cross[j];
      }
      cross.resize(m);
      for (const auto& [p, vp] : cross) {
        b(p) -= vp * source_b[s] / source_a[s];
        for (const auto& [q, vq] : cross)
          if (q <= p) a(p, q) -= vp * vq / source_a[s];
      }
    }
    Eigen::LDLT<Eigen::MatrixXd> solver(a);
    const Eigen::VectorXd step = solver.solve(b);
    double largest = 0;
    std::vector<double> moved(effects);
    for (int p = 0; p < effects; ++p) {
      moved[p] = std::clamp(step(p), -kLargestMove, kLargestMove);
      theta[p] += moved[p];
      largest = std::max(largest, std::abs(moved[p]));
    }
    for (int s = 0; s < source_count; ++s) {
      double right = source_b[s];
      for (const auto& [p, vp] : source_cross[s]) right -= vp * moved[p];
      source_value[s] += right / source_a[s];
    }
    const bool settled = scale <= domain.residual_scale;
    scale = std::max(domain.residual_scale, scale * 0.75);
    if ((settled && largest < 2e-4) || iteration + 1 == iterations) {
      const Eigen::MatrixXd inverse = solver.solve(Eigen::MatrixXd::Identity(effects, effects));
      out.sd.resize(effects);
      for (int p = 0; p < effects; ++p) out.sd[p] = std::sqrt(std::max(0.0, inverse(p, p)));
      break;
    }
  }
  out.value = theta;
  return out;
}

DomainCalibration to_calibration(const DomainSpec& spec, const Layout& layout, const Fitted& fitted) {
  DomainCalibration d;
  d.name = spec.name;
  for (std::size_t p = 0; p < layout.parameters.size(); ++p) {
    const Layout::Parameter& parameter = layout.parameters[p];
    const Effect effect{fitted.value[p], fitted.sd[p], fitted.rows[p]};
    if (parameter.level < 0) d.set_base(parameter.coefficient, effect);
    else d.set_effect(parameter.coefficient, parameter.level, key_of(parameter.key), effect);
  }
  d.finish();
  return d;
}

}  // namespace whichgpu::calibrate
