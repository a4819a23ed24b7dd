#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "native/files.hpp"
#include "native/prices.hpp"

namespace whichgpu::cli {
namespace {

using ordered_json = nlohmann::ordered_json;

void print_change(const native::PriceChange& c, const char* end) {
  std::printf("  %s: %s %s -> %s (%+.0f %%)%s\n", c.offer.c_str(), c.kind == "spot_usd_per_hour" ? "spot" : c.kind == "reserved_1y_usd_per_hour" ? "reserved 1 year" : c.kind == "reserved_3y_usd_per_hour" ? "reserved 3 years" : "on demand", format_number(c.before).c_str(), format_number(c.after).c_str(), 100 * (c.after / c.before - 1), end);
}

void print_names(const char* head, const std::vector<std::string>& names) {
  std::printf("%s: %zu\n", head, names.size());
  for (const std::string& name : names) std::printf("  %s\n", name.c_str());
}

void print_refusals(const char* head, const std::vector<native::Refusal>& refusals) {
  if (!refusals.empty()) std::printf("%s: %zu\n", head, refusals.size());
  for (const native::Refusal& r : refusals) std::printf("  %s: %s\n", r.row.c_str(), r.why.c_str());
}

void print(const native::PriceList& list, const native::PriceUpdate& u) {
  print_names("new", u.added);
  print_names("gone from the list (their rows stay)", u.gone);
  std::size_t little = 0;
  for (const native::PriceChange& c : u.changed) little += !(c.after > c.before * (1 + native::kShownChange) || c.after < c.before * (1 - native::kShownChange));
  std::printf("changed by more than %.0f %%: %zu; by less: %zu\n", 100 * native::kShownChange, u.changed.size() - little, little);
  for (const native::PriceChange& c : u.changed)
    if (c.after > c.before * (1 + native::kShownChange) || c.after < c.before * (1 - native::kShownChange)) print_change(c, "");
  std::printf("unchanged: %d, and %zu confirmed with a new date\n", u.unchanged, u.confirmed.size());
  if (!u.held_back.empty()) std::printf("held back, more than %.0f times the price before or less than a %.0frd (--accept takes them):\n", native::kLargestChange, native::kLargestChange);
  for (const native::PriceChange& c : u.held_back) print_change(c, "");
  print_refusals("nonsense, left out", list.nonsense);
  print_refusals("not taken", u.unknown);
  std::printf("left out: %d of other regions, %d without a GPU, %d with part of a GPU\n", u.other_regions, list.without_gpu, list.fractional);
}

}  // namespace

int run_refresh_prices(const Catalog& catalog, const std::string& data, const RefreshRequest& request) {
  const auto complain = [](const Error& e) {
    std::fprintf(stderr, "whichgpu: %s%s%s\n", e.path.c_str(), e.path.empty() ? "" : ": ", e.message.c_str());
    return 1;
  };
  const native::PriceFormat* format = native::find_price_format(request.format);
  if (!format) return complain({ErrorCode::kInvalidInput, "format", "no reader of \"" + request.format + "\""});
  if (!catalog.find_provider(request.provider)) return complain({ErrorCode::kUnknownId, "provider", "no provider \"" + request.provider + "\" in providers.json"});
  const std::string provider = catalog.find_provider(request.provider)->id;
  const Result<std::string> text = native::read_file(request.file);
  if (!text) return complain(text.error());
  const Result<native::PriceList> list = format->read(text.value());
  if (!list) return complain({list.error().code, request.file + " " + list.error().path, list.error().message});

  const std::string path = data + "/offers/" + provider + ".json";
  ordered_json document = {{"$schema", "../schema/offers.schema.json"}, {"provider", provider}, {"offers", ordered_json::array()}};
  if (std::filesystem::exists(path)) {
    const Result<std::string> before = native::read_file(path);
    if (!before) return complain(before.error());
    document = ordered_json::parse(before.value(), nullptr, false);
    if (document.is_discarded() || !document.contains("offers")) return complain({ErrorCode::kBadData, path, "is no file of offers"});
  }
  native::PriceUpdateOptions options;
  options.provider = provider;
  options.date = request.date;
  options.source = format->source;
  options.origin = request.origin.empty() ? std::filesystem::path(request.file).filename().string() : request.origin;
  options.all_regions = request.all_regions;
  options.accept = request.accept;
  const Result<native::PriceUpdate> update = native::update_prices(catalog, document, list.value(), options);
  if (!update) return complain(update.error());
  print(list.value(), update.value());
  const bool held_back = !update.value().held_back.empty();
  if (!request.write) {
    std::printf("nothing is written without --write\n");
    return held_back ? 1 : 0;
  }
  if (update.value().writes()) {
    if (const auto e = native::write_file(path, native::offers_text(update.value().document))) return complain(*e);
    std::printf("%s written\n", path.c_str());
    // No row may be of a day after the catalogs' own.
    if (request.date > catalog.as_of)
      if (const auto e = native::write_file(data + "/catalog.json", "{\n  \"$schema\": \"schema/catalog.schema.json\",\n  \"as_of\": \"" + request.date + "\"\n}\n")) return complain(*e);
  }
  return held_back ? 1 : 0;
}

}  // namespace whichgpu::cli
