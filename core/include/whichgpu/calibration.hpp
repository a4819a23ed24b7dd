#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/result.hpp"

/// Fitted coefficients. A domain (decode, prefill, serving, …) has coefficients; the (log) value of a coefficient is a
/// base plus the effects of the levels it uses: engine, format family, generation, GPU … Effects come from a fit with
/// shrinkage (core/calibrate); an effect that was never fitted is 0 and adds its prior's variance to the interval.
namespace whichgpu {

/// Identifies a level's category, e.g. engine "llama.cpp". 0 is "no category": no effect, no variance.
using Key = std::uint64_t;
Key key_of(std::string_view text);
/// The key of a combination, e.g. engine and generation.
Key key_of(std::string_view a, std::string_view b);

inline constexpr int kMaxCoefficients = 40;
inline constexpr int kMaxLevels = 16;

struct LevelUse { int level; double prior_sd; };

struct CoefficientSpec {
  const char* name;
  double base;     ///< prior mean of the base
  double base_sd;  ///< prior spread of the base; 0 fixes the base at `base`
  std::vector<LevelUse> levels;
};

/// What a domain fits: its levels and its coefficients. Written once per domain in core, used by the estimate and by the fit.
struct DomainSpec {
  const char* name;
  std::vector<const char*> levels;
  std::vector<CoefficientSpec> coefficients;
  /// Levels whose groups get a residual spread of their own (shrunk to the whole), most general first.
  std::vector<int> spread_levels;
};

struct Effect { double value = 0, sd = 0; int rows = 0; };

/// The categories of one estimate, by level; 0 where the level does not apply.
struct Keys { Key at[kMaxLevels] = {}; };

/// Remembers exponentials and logarithms by their place in a computation. Finite differences evaluate a function once
/// for every coefficient, and nearly all its exponentials have the arguments of the evaluation before: those are looked
/// up, bit for bit the same, for the others are computed.
class Remembered {
 public:
  enum class Kind { kRecord, kRead };
  /// Starts an evaluation. kRead leaves what is remembered as it is.
  void restart(Kind kind) { at_ = 0; record_ = kind == Kind::kRecord; }
  /// function(x, more); `more` must be the same at this place in every evaluation.
  double of(double (*function)(double, double), double x, double more);
  /// The coefficients that were asked for: the result does not depend on any other.
  void note(int index) { used_ |= std::uint64_t{1} << index; }
  bool used(int index) const { return (used_ >> index & 1) != 0; }

 private:
  static constexpr int kPlaces = 48;
  int at_ = 0;
  bool record_ = true;
  std::uint64_t used_ = 0;
  struct Place { double (*function)(double, double) = nullptr; double argument = 0, value = 0; };
  Place places_[kPlaces];
};

/// The coefficients of one evaluation, read by index.
class CoefficientView {
 public:
  CoefficientView(const double* values, Remembered* remembered = nullptr) : values_(values), remembered_(remembered) {}
  double operator[](int index) const {
    if (remembered_) remembered_->note(index);
    return values_[index];
  }
  /// All of them; as if each had been read.
  const double* data() const {
    if (remembered_)
      for (int i = 0; i < kMaxCoefficients; ++i) remembered_->note(i);
    return values_;
  }
  double exp(double x) const;
  double log(double x) const;
  double soft_max(double a, double b, double p) const;

 private:
  const double* values_;
  Remembered* remembered_;
};

/// Coefficients of one estimate.
struct Coefficients {
  double value[kMaxCoefficients] = {};
  double variance[kMaxCoefficients] = {};
};

/// Makes 80 % intervals hold 80 % of left-out rows: one factor for the scatter of rows alike, one for what is not known of
/// a GPU, model or engine that was never measured. Fitted over rows, GPUs, models and sources left out.
struct IntervalScale { double residual = 1, coefficients = 1; };

/// The fitted domain.
class DomainCalibration {
 public:
  std::string name;
  /// Sum of base and effects for each coefficient. `spec` must be the domain's own.
  Coefficients resolve(const DomainSpec& spec, const Keys& keys) const;
  /// Standard deviation of the log residual for these categories.
  double residual_sd(const DomainSpec& spec, const Keys& keys) const;
  /// Rows that the effect of this level's category was fitted on (largest over the coefficients); 0 when never seen.
  int rows_seen(int level, Key key) const;
  IntervalScale interval_scale;
  bool fitted = false;

  // ---- building (the reader and the fit) ----
  void set_base(int coefficient, Effect effect);
  void set_effect(int coefficient, int level, Key key, Effect effect);
  void set_spread(int level, Key key, double sd);  ///< level -1: the whole domain
  void finish();

 private:
  struct Entry { std::uint64_t hash; Effect effect; };
  std::vector<Entry> entries_, seen_;            ///< sorted by hash
  std::vector<std::int32_t> slots_;              ///< open addressing over entries_; -1 is free
  const Effect* find(std::uint64_t hash) const;
};

struct Calibration {
  std::vector<DomainCalibration> domains;
  /// Never null: an unfitted domain (all effects absent) where the file has none.
  const DomainCalibration& domain(std::string_view name) const;
};

/// Reads data/calibration.json. Domain specs are needed for names; see all_domain_specs(). Errors: kBadData.
Result<Calibration> read_calibration(const nlohmann::json& document);

/// The specs of every fitted domain, in a fixed order.
const std::vector<const DomainSpec*>& all_domain_specs();

/// An 80 % interval around exp(log_value): half width 1.2816 * sqrt((scale.residual * residual)² + scale.coefficients² * Σ share² variance).
struct LogInterval { double p10, p90; };
LogInterval interval_of(double log_value, double residual_sd, double coefficient_variance, IntervalScale scale);

}  // namespace whichgpu
