#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"

/// The fit behind data/calibration.json: Gauss-Newton on log residuals with Student-t weights (outliers count little),
/// Gaussian priors on every effect (shrinkage to the parent level), and one nuisance effect per source, which the
/// estimates never use. Cells of like rows share one weight, so that a source with hundreds of rows of one model does
/// not outweigh a card measured once.
namespace whichgpu::calibrate {

/// Logarithms of a time, a size or a share that vanish beside every other, of a rate so high that its time vanishes, and a
/// slope that changes nothing.
inline constexpr double kNothing = -30, kInstantly = 30, kFlat = 0;

/// One row that a domain can model.
struct Observation {
  double log_measured = 0;
  std::string id, source, cell, gpu, model, metric;
  bool crowd = false;
  double noise = 1;  ///< this kind of row scatters so many times wider than the domain's residual scale
  Keys keys;
  std::vector<std::string> key_names;                         ///< text of each level's key, for the file; "" where keys.at is 0
  std::function<double(const double* coefficients)> predict;  ///< log of the predicted value, in the measured value's unit
};

/// What a domain offers to the fit.
struct Domain {
  const DomainSpec* spec = nullptr;
  /// The observation of a row, or nothing when the row is not this domain's or cannot be modelled.
  std::function<bool(const Conditions&, const MeasurementRow&, Observation&)> observe;
  double source_sd = 0.15;    ///< prior spread of a source's nuisance effect (log)
  double residual_scale = 0.15;  ///< scale of the Student-t residuals (log)
  /// Scale of the first iteration, shrinking to residual_scale by a quarter each time; 0: residual_scale from the start.
  /// For domains whose priors are far off, where sharp weights would call the data outliers.
  double first_residual_scale = 0;
  double crowd_weight = 0.3;
  /// Terms for --ablation, each with the value of its coefficient at which it is gone.
  struct AblatedTerm { std::string coefficient; double gone; };
  std::vector<AblatedTerm> terms;
  std::vector<std::string> uses;  ///< domains whose fit `observe` asks for; they stand before this one in all_domains()
};

/// Registered in domains.cpp.
const std::vector<Domain>& all_domains();

struct Fitted {
  std::vector<double> value, sd;       ///< by parameter
  std::vector<int> rows;               ///< rows that touch a parameter
};

/// Which parameters (base and effects) a set of rows has.
class Layout {
 public:
  Layout(const DomainSpec& spec, const std::vector<Observation>& observations, const std::vector<bool>& train);
  struct Parameter { int coefficient, level; std::string key; double prior_mean, prior_sd; };
  std::vector<Parameter> parameters;
  /// Parameters of coefficient c of an observation; -1 where the level has no effect.
  const std::vector<int>& of(std::size_t observation, int coefficient) const { return index_[observation * coefficients_ + coefficient]; }

 private:
  std::size_t coefficients_;
  std::vector<std::vector<int>> index_;
};

/// Fits the rows marked in `train`. With a `start` (a fit of all rows, by its layout) the search begins there and needs a
/// few rounds only: the folds of a cross-validation differ little from the whole.
struct Start { const Layout* layout; const Fitted* fitted; };
Fitted fit(const Domain& domain, const std::vector<Observation>& observations, const Layout& layout, const std::vector<bool>& train, const Start* start = nullptr);

/// Log prediction of every observation under fitted values.
std::vector<double> predict_all(const DomainSpec& spec, const std::vector<Observation>& observations, const Layout& layout, const std::vector<double>& value);

/// The calibrated domain as the run-time object, so that intervals are computed by the very code that users run.
DomainCalibration to_calibration(const DomainSpec& spec, const Layout& layout, const Fitted& fitted);

}  // namespace whichgpu::calibrate
