#include "native/prices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "whichgpu/cost.hpp"

namespace whichgpu::native {
namespace {

using ordered_json = nlohmann::ordered_json;

constexpr double kGbPerGib = 1.073741824;
/// Dollars an hour for one GPU that any real offer lies between: marketplaces begin at some cents for the oldest cards,
/// a B300 on the dearest cloud is below 20.
constexpr double kLeastUsdPerGpu = 0.01, kMostUsdPerGpu = 100;

/// Reads one record; quotes may hold commas and line ends. False when a quote is never closed.
bool next_record(std::string_view csv, std::size_t& at, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (; at < csv.size(); ++at) {
    const char c = csv[at];
    if (quoted) {
      if (c != '"') fields.back() += c;
      else if (at + 1 < csv.size() && csv[at + 1] == '"') fields.back() += csv[++at];
      else quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      return true;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return !quoted;
}

/// Memory of one GPU from GpuInfo ("{'Gpus': [{… 'MemoryInfo': {'SizeInMiB': 40960}}], …}"), else from the name: the
/// catalog's "A100" and "V100" are the small ones, the others carry their size ("A100-80GB").
Figure memory_of(std::string_view info, std::string_view name) {
  if (const std::size_t at = info.find("SizeInMiB"); at != std::string_view::npos)
    if (const auto mib = first_number(info.substr(at + 9)); mib && *mib > 0) return *mib / 1024;
  if (name == "A100") return 40.0;
  if (name == "V100") return 16.0;
  return std::nullopt;
}

std::string key_text(const std::string& instance, const std::string& gpu, const std::string& region) { return instance + " (" + gpu + ") in " + (region.empty() ? "no region" : region); }

std::string text_of(const ordered_json& row, const char* key) {
  const auto it = row.find(key);
  return it != row.end() && it->is_string() ? it->get<std::string>() : std::string();
}

Figure figure_of(const ordered_json& row, const char* key) {
  const auto it = row.find(key);
  return it != row.end() && it->is_number() ? Figure(it->get<double>()) : std::nullopt;
}

ordered_json or_null(const Figure& f) { return f ? ordered_json(*f) : ordered_json(nullptr); }

double rounded(double value, double step) { return std::floor(value / step + 0.5) * step; }

/// The catalog's GPU of a listed one. The provider's own instances tell the form factor; else name and memory do.
const Gpu* gpu_of(const Catalog& catalog, const ListedPrice& p, const ordered_json* known) {
  if (known) return catalog.find_gpu(text_of(*known, "gpu"));
  const auto as_sold = [&](const Gpu* g) { return g && (!p.gpu_memory_gib || (g->memory_gb && std::abs(*g->memory_gb / *p.gpu_memory_gib - 1) < 0.1)); };
  if (p.gpu_memory_gib)
    if (const Gpu* g = catalog.find_gpu(p.gpu_name + " " + format_number(rounded(*p.gpu_memory_gib, 1)) + "gb"); as_sold(g)) return g;
  const Gpu* g = catalog.find_gpu(p.gpu_name);
  return as_sold(g) ? g : nullptr;
}

void write_line(std::string& out, const ordered_json& value) {
  if (value.is_object() || value.is_array()) {
    const bool object = value.is_object();
    out += object ? '{' : '[';
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out += ", ";
      first = false;
      if (object) out += ordered_json(item.key()).dump() + ": ";
      write_line(out, item.value());
    }
    out += object ? '}' : ']';
  } else if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()) && std::abs(value.get<double>()) < 1e15) {
    out += std::to_string(static_cast<long long>(value.get<double>()));
  } else {
    out += value.dump();
  }
}

}  // namespace

const std::vector<PriceFormat>& price_formats() {
  static const std::vector<PriceFormat> formats = {{"skypilot", "skypilot-org-skypilot-catalog", read_skypilot_prices}, {"azure-retail", "azure-retail-prices", read_azure_prices}};
  return formats;
}

const PriceFormat* find_price_format(std::string_view name) {
  for (const PriceFormat& f : price_formats())
    if (name == f.name) return &f;
  return nullptr;
}

Result<PriceList> read_skypilot_prices(std::string_view csv) {
  if (starts_with(csv, "\xEF\xBB\xBF")) csv.remove_prefix(3);
  if (trim(csv).empty()) return Error{ErrorCode::kBadData, "line 1", "the price list is empty"};
  std::size_t at = 0;
  std::vector<std::string> fields;
  if (!next_record(csv, at, fields)) return Error{ErrorCode::kBadData, "line 1", "a quote is never closed"};
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < fields.size(); ++i) column[std::string(trim(fields[i]))] = i;
  for (const char* name : {"InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price", "SpotPrice", "Region"})
    if (!column.count(name)) return Error{ErrorCode::kBadData, "line 1", std::string("expected a column ") + name + "; this is no vms.csv of the SkyPilot catalog"};
  const std::size_t columns = fields.size();

  PriceList out;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> position;
  for (int record = 2; at < csv.size(); ++record) {
    const std::string where = "record " + std::to_string(record);
    if (!next_record(csv, at, fields)) return Error{ErrorCode::kBadData, where, "a quote is never closed: the list was cut off"};
    if (fields.size() == 1 && trim(fields[0]).empty()) continue;
    if (fields.size() != columns) {
      out.nonsense.push_back({where, "has " + std::to_string(fields.size()) + " fields, the head has " + std::to_string(columns)});
      continue;
    }
    const auto get = [&](const char* name) { return column.count(name) ? std::string(trim(fields[column[name]])) : std::string(); };
    ListedPrice p;
    p.instance = get("InstanceType");
    p.gpu_name = get("AcceleratorName");
    p.region = get("Region");
    if (p.gpu_name.empty()) {
      ++out.without_gpu;
      continue;
    }
    const std::string row = where + ", " + p.instance + " in " + p.region;
    const auto count = to_number(get("AcceleratorCount"));
    if (p.instance.empty() || !count || *count <= 0 || *count > 64) {
      out.nonsense.push_back({row, "has no instance or no count of GPUs that could be"});
      continue;
    }
    if (*count != std::floor(*count)) {
      ++out.fractional;
      continue;
    }
    p.gpu_count = static_cast<int>(*count);
    p.gpu_memory_gib = memory_of(get("GpuInfo"), p.gpu_name);
    p.vcpus = to_number(get("vCPUs"));
    p.ram_gib = to_number(get("MemoryGiB"));
    std::string wrong;
    const auto price = [&](const char* name) -> Figure {
      const std::string text = get(name);
      if (text.empty()) return std::nullopt;
      const auto value = to_number(text);
      if (value && *value >= kLeastUsdPerGpu * p.gpu_count && *value <= kMostUsdPerGpu * p.gpu_count) return *value;
      wrong = std::string(name) + " of \"" + text + "\" for " + std::to_string(p.gpu_count) + " GPU cannot be";
      return std::nullopt;
    };
    p.usd_per_hour = price("Price");
    p.spot_usd_per_hour = price("SpotPrice");
    if (wrong.empty() && p.usd_per_hour && p.spot_usd_per_hour && *p.spot_usd_per_hour > *p.usd_per_hour) wrong = "the spot price is above the price on demand";
    if (!wrong.empty()) {
      out.nonsense.push_back({row, wrong});
      continue;
    }
    if (!p.usd_per_hour && !p.spot_usd_per_hour) continue;  // listed, and not sold there
    const auto [it, fresh] = position.try_emplace({p.instance, p.gpu_name, p.region}, out.prices.size());
    if (fresh) {
      out.prices.push_back(std::move(p));
      continue;
    }
    ListedPrice& kept = out.prices[it->second];
    const auto lower_of = [](const Figure& a, const Figure& b) { return a && b ? Figure(std::min(*a, *b)) : a ? a : b; };
    kept.lowest_of_zones = kept.lowest_of_zones || (kept.usd_per_hour && p.usd_per_hour && *kept.usd_per_hour != *p.usd_per_hour);
    kept.usd_per_hour = lower_of(kept.usd_per_hour, p.usd_per_hour);
    kept.spot_usd_per_hour = lower_of(kept.spot_usd_per_hour, p.spot_usd_per_hour);
  }
  if (out.prices.empty()) return Error{ErrorCode::kBadData, "", "the price list holds no price of a GPU"};
  return out;
}

Result<PriceUpdate> update_prices(const Catalog& catalog, const ordered_json& document, const PriceList& list, const PriceUpdateOptions& options) {
  const std::optional<int> day = days_of(options.date);
  if (!day || options.date.size() != 10) return Error{ErrorCode::kInvalidInput, "date", "expected YYYY-MM-DD, found \"" + options.date + "\""};
  const double rows = static_cast<double>(list.prices.size() + list.nonsense.size());
  if (list.nonsense.size() > kMostNonsense * rows)
    return Error{ErrorCode::kBadData, list.nonsense.front().row, list.nonsense.front().why + "; " + std::to_string(list.nonsense.size()) + " of " + format_number(rows) + " rows are nonsense, so the list is not believed"};

  PriceUpdate out;
  out.document = document;
  ordered_json& offers = out.document["offers"];
  if (!offers.is_array()) return Error{ErrorCode::kBadData, options.provider, "expected a list \"offers\""};
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto key_of = [](const ordered_json& row) { return Key{text_of(row, "instance"), text_of(row, "gpu"), text_of(row, "region")}; };
  std::map<Key, const ordered_json*> newest;                // not after the list's date
  std::map<std::pair<std::string, int>, const ordered_json*> instances;
  std::set<std::string> regions;
  std::set<std::pair<Key, std::string>> dated;
  for (const ordered_json& row : document["offers"]) {
    const Key key = key_of(row);
    const std::string date = text_of(row, "price_date");
    dated.insert({key, date});
    regions.insert(std::get<2>(key));
    for (const int count : {static_cast<int>(figure_of(row, "gpu_count").value_or(0)), 0}) instances[{std::get<0>(key), count}] = &row;
    if (date > options.date) continue;
    const ordered_json*& kept = newest[key];
    if (!kept || text_of(*kept, "price_date") <= date) kept = &row;
  }

  std::set<Key> seen;
  std::vector<ordered_json> fresh;
  for (const ListedPrice& p : list.prices) {
    if (!options.all_regions && !regions.empty() && !regions.count(p.region)) {
      ++out.other_regions;
      continue;
    }
    const auto instance = instances.find({p.instance, p.gpu_count});
    const ordered_json* same = instance == instances.end() ? nullptr : instance->second;
    if (p.gpu_count == 0 && !same) {
      out.unknown.push_back({p.instance + " in " + p.region, "the list does not say its GPUs, and no offer of the provider does"});
      continue;
    }
    const int gpu_count = p.gpu_count > 0 ? p.gpu_count : static_cast<int>(figure_of(*same, "gpu_count").value_or(0));
    const Gpu* gpu = gpu_of(catalog, p, same);
    if (!gpu) {
      out.unknown.push_back({key_text(p.instance, p.gpu_name, p.region), "the catalog has no such GPU" + (p.gpu_memory_gib ? " with " + format_number(*p.gpu_memory_gib, 3) + " GiB" : std::string())});
      continue;
    }
    const Key key{p.instance, gpu->id, p.region};
    const std::string name = key_text(p.instance, gpu->id, p.region);
    seen.insert(key);
    const auto before = newest.find(key);
    const ordered_json* old = before == newest.end() ? nullptr : before->second;

    const std::pair<const char*, Figure> prices[] = {{"price_usd_per_hour", p.usd_per_hour}, {"spot_usd_per_hour", p.spot_usd_per_hour},
                                                     {"reserved_1y_usd_per_hour", p.reserved_1y_usd_per_hour}, {"reserved_3y_usd_per_hour", p.reserved_3y_usd_per_hour}};
    if (std::any_of(std::begin(prices), std::end(prices), [&](const auto& price) { return price.second && (*price.second < kLeastUsdPerGpu * gpu_count || *price.second > kMostUsdPerGpu * gpu_count); })) {
      out.unknown.push_back({name, "a price that cannot be for " + std::to_string(gpu_count) + " GPU"});
      continue;
    }
    std::vector<PriceChange> changes;
    bool appeared = false;
    if (old)
      for (const auto& [field, now] : prices) {
        const Figure was = figure_of(*old, field);
        if (was && now && *was > 0 && *was != *now) changes.push_back({name, field, *was, *now});
        else if (!was && now) appeared = true;
      }
    const bool wild = std::any_of(changes.begin(), changes.end(), [](const PriceChange& c) { return c.after > c.before * kLargestChange || c.before > c.after * kLargestChange; });
    if (wild && !options.accept) {
      out.held_back.insert(out.held_back.end(), changes.begin(), changes.end());
      continue;
    }
    if (old && changes.empty() && !appeared) {
      const std::optional<int> last = days_of(text_of(*old, "price_date"));
      if (last && *day - *last <= kConfirmAfterDays) {
        ++out.unchanged;
        continue;
      }
    }
    if (dated.count({key, options.date})) {
      out.unknown.push_back({name, "has a price of " + options.date + " already, which stays"});
      continue;
    }

    // What the list does not say is taken from the last row of the offer; prices it does not say are not.
    ordered_json row = old ? *old : ordered_json::object();
    const auto keep_or = [&](const char* field, const Figure& listed) { row[field] = old ? row.value(field, ordered_json(nullptr)) : or_null(listed); };
    // In another region it is the same machine.
    const auto of_machine = [&](const char* field, const Figure& listed) { row[field] = old ? row.value(field, ordered_json(nullptr)) : listed || !same ? or_null(listed) : same->value(field, ordered_json(nullptr)); };
    row["instance"] = p.instance;
    row["gpu"] = gpu->id;
    row["gpu_count"] = gpu_count;
    of_machine("gpu_memory_gb", gpu->memory_gb);
    of_machine("vcpus", p.vcpus);
    of_machine("ram_gb", p.ram_gib ? Figure(rounded(*p.ram_gib * kGbPerGib, 1)) : std::nullopt);
    for (const char* field : {"local_storage_gb", "interconnect"}) of_machine(field, std::nullopt);
    row["region"] = p.region.empty() ? ordered_json(nullptr) : ordered_json(p.region);
    for (const auto& [field, price] : prices) row[field] = or_null(price);
    of_machine("billing_granularity", std::nullopt);
    keep_or("egress_usd_per_gb", std::nullopt);
    row["price_date"] = options.date;
    row["labels"] = ordered_json::array();
    if (!p.usd_per_hour) row["labels"].push_back(p.spot_usd_per_hour ? "spot-only" : "commitment-only");
    row["provenance"] = ordered_json{{"confidence", "medium"}, {"sources", {options.source}}, {"date", options.date},
                                     {"notes", options.origin + (instance == instances.end() ? "; form factor by the GPU's name and memory" : "") + (p.lowest_of_zones ? "; the lowest of its zones" : "")}};
    fresh.push_back(std::move(row));
    if (!old) out.added.push_back(name);
    else if (changes.empty()) out.confirmed.push_back(name);
    out.changed.insert(out.changed.end(), changes.begin(), changes.end());
  }

  // Gone can only be what an earlier list of this source has brought; offers from elsewhere have names of their own.
  std::size_t of_source = 0;
  for (const auto& [key, row] : newest) {
    const auto provenance = row->find("provenance");
    const std::string sources = provenance == row->end() ? std::string() : provenance->value("sources", ordered_json::array()).dump();
    if (!contains(sources, "\"" + options.source)) continue;
    ++of_source;
    if (!seen.count(key)) out.gone.push_back(key_text(std::get<0>(key), std::get<1>(key), std::get<2>(key)));
  }
  if (!options.accept && out.gone.size() > kMostGone * static_cast<double>(of_source))
    return Error{ErrorCode::kBadData, options.provider, std::to_string(out.gone.size()) + " of the " + std::to_string(of_source) + " offers that this source had are not in the list (" + out.gone.front() + ", …): was it cut off? --accept takes it as it is"};

  // Beside the other rows of the offer, oldest first; a new offer after the last row.
  for (ordered_json& row : fresh) {
    const Key key = key_of(row);
    std::size_t place = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (key_of(offers[i]) != key) continue;
      if (text_of(offers[i], "price_date") > options.date) {
        if (place == offers.size()) place = i;
        break;
      }
      place = i + 1;
    }
    offers.insert(offers.begin() + static_cast<std::ptrdiff_t>(place), std::move(row));
  }
  return out;
}

std::string offers_text(const ordered_json& document) {
  std::string out = "{\n  \"$schema\": " + document.value("$schema", ordered_json("../schema/offers.schema.json")).dump() + ",\n  \"provider\": " + document.value("provider", ordered_json("")).dump() + ",\n  \"offers\": [\n";
  const ordered_json& offers = document.at("offers");
  for (std::size_t i = 0; i < offers.size(); ++i) {
    out += "    ";
    write_line(out, offers[i]);
    out += i + 1 < offers.size() ? ",\n" : "\n";
  }
  return out + "  ]\n}\n";
}

}  // namespace whichgpu::native
