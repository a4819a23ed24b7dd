#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "whichgpu/catalog.hpp"
#include "whichgpu/result.hpp"

/// Bringing data/offers up to date from published price lists. Nothing here opens a file or a connection.
namespace whichgpu::native {

/// One offer as a price list has it, whatever its format. Prices are for the whole instance.
struct ListedPrice {
  std::string instance, gpu_name, region;
  int gpu_count = 0;  ///< 0: the list does not say; then the provider's file has to know the instance
  Figure gpu_memory_gib, vcpus, ram_gib, usd_per_hour, spot_usd_per_hour, reserved_1y_usd_per_hour, reserved_3y_usd_per_hour;
  bool lowest_of_zones = false;  ///< zones of the region differ in the price on demand; the lowest is kept
};

/// A row that is not taken, and why.
struct Refusal { std::string row, why; };

struct PriceList {
  std::vector<ListedPrice> prices;    ///< one for each instance, GPU and region, in the order of the list
  std::vector<Refusal> nonsense;      ///< rows whose figures cannot be true
  int without_gpu = 0, fractional = 0;
};

/// A format of price lists. A new one is a reader and a line in price_formats().
struct PriceFormat {
  const char* name;
  const char* source;  ///< key of data/sources.json
  Result<PriceList> (*read)(std::string_view text);
};
const std::vector<PriceFormat>& price_formats();
const PriceFormat* find_price_format(std::string_view name);

/// The SkyPilot catalog's vms.csv: InstanceType, AcceleratorName, AcceleratorCount, vCPUs, MemoryGiB, GpuInfo, Price,
/// SpotPrice, Region and, for some clouds, AvailabilityZone (the zones of a region become one row, at the lowest price).
/// Errors: kBadData for an empty list, a column that is missing, a quote that is never closed.
Result<PriceList> read_skypilot_prices(std::string_view csv);

/// The Azure Retail Prices API's JSON (its documentation: learn.microsoft.com/rest/api/cost-management/retail-prices): one
/// page, a list of pages, or a page a line. Virtual machines of the N series under Linux: on demand, spot, and
/// reservations, whose price for the whole term is told by the hour. It names machines, not their GPUs.
/// Errors: kBadData for text that is no such page, another currency, or a last page that says that more follow.
Result<PriceList> read_azure_prices(std::string_view json);

struct PriceUpdateOptions {
  std::string provider, date, source, origin;  ///< date: YYYY-MM-DD of the prices; origin: file or address, for the notes
  bool all_regions = false;                    ///< else only regions that the provider's offers name already
  bool accept = false;                         ///< take changes beyond kLargestChange, and lists that lost much
};

/// Changes above this share are shown.
inline constexpr double kShownChange = 0.20;
/// A price that rose or fell by more than this factor is held back unless accepted: likelier an error than news.
inline constexpr double kLargestChange = 3.0;
/// A list with a larger share of nonsense rows, or that lacks a larger share of the provider's known offers of its own
/// source, is refused whole unless accepted (the missing offers), or always (nonsense).
inline constexpr double kMostNonsense = 0.10, kMostGone = 0.50;
/// An unchanged price gets a new row, which says that it still holds, when its last one is older than this.
inline constexpr int kConfirmAfterDays = 30;

struct PriceChange { std::string offer, kind; double before = 0, after = 0; };

struct PriceUpdate {
  std::vector<std::string> added, gone, confirmed;
  std::vector<PriceChange> changed, held_back;  ///< changed: by any amount
  std::vector<Refusal> unknown;                 ///< GPUs that the catalog does not have, days that have a price already
  int other_regions = 0, unchanged = 0;
  nlohmann::ordered_json document;              ///< the provider's file with the new rows; rows are only ever added
  bool writes() const { return !added.empty() || !changed.empty() || !confirmed.empty(); }
};

/// What a price list means for a provider's file of offers (`document`, as in data/offers). Rows that exist stay as they
/// are: a new price is a new row with its date. Errors: kInvalidInput for a date that is none, kBadData for a list that
/// must not be believed.
Result<PriceUpdate> update_prices(const Catalog& catalog, const nlohmann::ordered_json& document, const PriceList& list, const PriceUpdateOptions& options);

/// The text of a file of offers: one row a line, as data/offers is written.
std::string offers_text(const nlohmann::ordered_json& document);

}  // namespace whichgpu::native
