#include "native/prices.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <string>

#include "native/files.hpp"
#include "support/test_catalog.hpp"

using namespace whichgpu;
using namespace whichgpu::native;
using Catch::Matchers::WithinRel;
using ordered_json = nlohmann::ordered_json;

namespace {

constexpr const char* kHead = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
/// GpuInfo as the SkyPilot catalog writes it: a quoted field with commas.
std::string gpu_info(const char* name, int mib) {
  return std::string("\"{'Gpus': [{'Name': '") + name + "', 'Manufacturer': 'NVIDIA', 'Count': 1.0, 'MemoryInfo': {'SizeInMiB': " + std::to_string(mib) + "}}], 'TotalGpuMemoryInMiB': " + std::to_string(mib) + "}\"";
}

PriceList listed(const std::string& rows) {
  const Result<PriceList> list = read_skypilot_prices(kHead + rows);
  REQUIRE(list);
  return list.value();
}

/// A provider's file with one offer, $10.00 on demand and $4.00 spot on 2026-07-01, reserved $6.00.
ordered_json one_offer() {
  return ordered_json::parse(R"({"$schema": "../schema/offers.schema.json", "provider": "aws", "offers": [
    {"instance": "p4d.24xlarge", "gpu": "nvidia-a100-sxm-40gb", "gpu_count": 8, "gpu_memory_gb": 40, "vcpus": 96, "ram_gb": 1152, "local_storage_gb": 8000, "interconnect": "NVSwitch", "region": "us-east-1", "price_usd_per_hour": 10, "spot_usd_per_hour": 4, "reserved_1y_usd_per_hour": 6, "reserved_3y_usd_per_hour": null, "billing_granularity": "per second", "egress_usd_per_gb": 0.09, "price_date": "2026-07-01", "labels": ["spot-derived"], "provenance": {"sources": ["skypilot-org-skypilot-catalog"], "date": "2026-07-01"}}]})");
}

PriceUpdateOptions on(const char* date) {
  PriceUpdateOptions o;
  o.provider = "aws";
  o.date = date;
  o.source = "skypilot-org-skypilot-catalog";
  o.origin = "aws/vms.csv";
  return o;
}

std::string p4d(const char* price, const char* spot, const char* zone = "us-east-1a") { return std::string("p4d.24xlarge,A100,8.0,96.0,1152.0,") + gpu_info("A100", 40960) + "," + price + "," + spot + ",us-east-1," + zone + "\n"; }

}  // namespace

TEST_CASE("a price list is read by its header, zones become one row at the lowest price", "[prices]") {
  const PriceList list = listed(p4d("10.5", "5.0") + p4d("10.5", "4.5", "us-east-1b") + "m5.large,,,2.0,8.0,,0.096,0.03,us-east-1,us-east-1a\n" +
                                "g6f.large,L4,0.125,2.0,8.0,,0.2,0.1,us-east-1,us-east-1a\n" + "g4dn.xlarge,T4,1.0,4.0,16.0,,0.526,,us-east-1,us-east-1a\n");
  REQUIRE(list.prices.size() == 2);
  CHECK(list.prices[0].gpu_count == 8);
  CHECK(list.prices[0].usd_per_hour == 10.5);
  CHECK(list.prices[0].spot_usd_per_hour == 4.5);
  CHECK(list.prices[0].gpu_memory_gib == 40.0);
  CHECK_FALSE(list.prices[0].lowest_of_zones);
  CHECK_FALSE(list.prices[1].spot_usd_per_hour);  // not said is unknown, not free
  CHECK(list.without_gpu == 1);
  CHECK(list.fractional == 1);
  CHECK(list.nonsense.empty());
}

TEST_CASE("zones that differ on demand give the lowest, and say so", "[prices]") {
  const PriceList list = listed(p4d("10.5", "") + p4d("10.2", "", "us-east-1b"));
  REQUIRE(list.prices.size() == 1);
  CHECK(list.prices[0].usd_per_hour == 10.2);
  CHECK(list.prices[0].lowest_of_zones);
}

TEST_CASE("a list that is none is refused", "[prices]") {
  CHECK_FALSE(read_skypilot_prices(""));
  CHECK_FALSE(read_skypilot_prices(" \n"));
  CHECK_FALSE(read_skypilot_prices("<html>not found</html>"));
  CHECK_FALSE(read_skypilot_prices(kHead));                                       // no price
  CHECK_FALSE(read_skypilot_prices(std::string(kHead) + "a,\"never closed,1\n"));  // cut off
}

TEST_CASE("prices that cannot be are left out, and many of them condemn the list", "[prices]") {
  const char* bad[] = {"0", "-3", "abc", "9000", "nan", "0.01"};  // 0.01 for 8 GPUs is below a cent each
  for (const char* price : bad) {
    CAPTURE(price);
    std::string rows = p4d(price, "");
    for (int i = 0; i < 9; ++i) rows += "g4dn." + std::to_string(i) + ",T4,1,4,16,,0.526,,us-east-1,\n";
    const PriceList list = listed(rows);
    CHECK(list.nonsense.size() == 1);
    CHECK(list.prices.size() == 9);
    PriceUpdateOptions options = on("2026-11-01");
    options.accept = true;  // the known offer is not in the list, which is not the matter here
    const Result<PriceUpdate> update = update_prices(test_catalog(), one_offer(), list, options);
    REQUIRE(update);  // one in ten is the limit
    CHECK(update.value().document["offers"][0] == one_offer()["offers"][0]);
    CHECK(update.value().added.size() == 9);
    rows += p4d("0", "", "us-east-1b");
    CHECK_FALSE(update_prices(test_catalog(), one_offer(), listed(rows), options));
  }
  CHECK(listed(p4d("10", "11") + "g4dn.xlarge,T4,1,4,16,,0.526,,us-east-1,\n").nonsense.size() == 1);  // spot above on demand
}

TEST_CASE("a new price is a new row beside the old one, which stays as it was", "[prices]") {
  const Result<PriceUpdate> update = update_prices(test_catalog(), one_offer(), listed(p4d("12.5", "4")), on("2026-11-01"));
  REQUIRE(update);
  const PriceUpdate& u = update.value();
  REQUIRE(u.changed.size() == 1);  // spot is what it was
  CHECK_THAT(u.changed[0].after / u.changed[0].before, WithinRel(1.25, 1e-12));
  CHECK(u.added.empty());
  CHECK(u.gone.empty());
  const ordered_json& offers = u.document["offers"];
  REQUIRE(offers.size() == 2);
  CHECK(offers[0] == one_offer()["offers"][0]);
  CHECK(offers[1]["price_usd_per_hour"] == 12.5);
  CHECK(offers[1]["price_date"] == "2026-11-01");
  CHECK(offers[1]["gpu"] == "nvidia-a100-sxm-40gb");
  CHECK(offers[1]["ram_gb"] == 1152);                         // the offer is the same machine
  CHECK(offers[1]["reserved_1y_usd_per_hour"].is_null());     // the list does not say it: not known of that day
  CHECK(offers[1]["labels"].empty());
  CHECK(offers[1]["provenance"]["sources"] == ordered_json::array({"skypilot-org-skypilot-catalog"}));
  // The same list once more changes nothing.
  const Result<PriceUpdate> again = update_prices(test_catalog(), u.document, listed(p4d("12.5", "4")), on("2026-11-01"));
  REQUIRE(again);
  CHECK_FALSE(again.value().writes());
  CHECK(again.value().unchanged == 1);
  // An old list adds to the history and does not hide the newer price.
  const Result<PriceUpdate> older = update_prices(test_catalog(), u.document, listed(p4d("9", "4")), on("2026-01-01"));
  REQUIRE(older);
  REQUIRE(older.value().document["offers"].size() == 3);
  CHECK(older.value().document["offers"][2]["price_date"] == "2026-11-01");
}

TEST_CASE("a price of a day that has one already is not overwritten", "[prices]") {
  const Result<PriceUpdate> update = update_prices(test_catalog(), one_offer(), listed(p4d("12.5", "4")), on("2026-07-01"));
  REQUIRE(update);
  CHECK_FALSE(update.value().writes());
  CHECK(update.value().unknown.size() == 1);
  CHECK(update.value().document == one_offer());
}

TEST_CASE("an unchanged price is confirmed when its row is older than 30 days", "[prices]") {
  CHECK_FALSE(update_prices(test_catalog(), one_offer(), listed(p4d("10", "4")), on("2026-07-31")).value().writes());
  const PriceUpdate u = update_prices(test_catalog(), one_offer(), listed(p4d("10", "4")), on("2026-08-01")).value();
  CHECK(u.confirmed.size() == 1);
  CHECK(u.changed.empty());
  CHECK(u.document["offers"].size() == 2);
}

TEST_CASE("a price beyond three times the old one is held back until accepted", "[prices]") {
  PriceUpdateOptions options = on("2026-11-01");
  for (const char* price : {"30.01", "3.3"}) {  // 10 * 3 = 30; 10 / 3 = 3.33
    CAPTURE(price);
    options.accept = false;
    const Result<PriceUpdate> answer = update_prices(test_catalog(), one_offer(), listed(p4d(price, "")), options);
    REQUIRE(answer);
    const PriceUpdate& held = answer.value();
    CHECK(held.held_back.size() == 1);
    CHECK_FALSE(held.writes());
    CHECK(held.document == one_offer());
    options.accept = true;
    CHECK(update_prices(test_catalog(), one_offer(), listed(p4d(price, "")), options).value().changed.size() == 1);
  }
  options.accept = false;
  CHECK(update_prices(test_catalog(), one_offer(), listed(p4d("30", "")), options).value().held_back.empty());
}

TEST_CASE("new offers are told from known ones, by GPU name and memory", "[prices]") {
  const std::string rows = p4d("10", "4") + "p9.large,A100," "1,12,85," + gpu_info("A100", 81920) + ",3,,us-east-1,\n" + "p9.none,Zeta9000,1,12,85,,3,,us-east-1,\n" + "p9.far,T4,1,12,85,,3,,mars-1,\n";
  const PriceUpdate u = update_prices(test_catalog(), one_offer(), listed(rows), on("2026-07-02")).value();
  REQUIRE(u.added.size() == 1);
  CHECK(u.document["offers"].back()["gpu"] == "nvidia-a100-sxm-80gb");  // by the memory it is sold with
  CHECK(u.document["offers"].back()["ram_gb"] == 91);                    // 85 GiB = 91.3 GB
  REQUIRE(u.unknown.size() == 1);
  CHECK(u.unknown[0].row.find("Zeta9000") != std::string::npos);
  CHECK(u.other_regions == 1);
  PriceUpdateOptions everywhere = on("2026-07-02");
  everywhere.all_regions = true;
  CHECK(update_prices(test_catalog(), one_offer(), listed(rows), everywhere).value().added.size() == 2);
}

TEST_CASE("offers that vanish are named, and a list that lost most of them is refused", "[prices]") {
  ordered_json three = one_offer();
  for (const char* name : {"p4d.b", "p4d.c"}) {
    ordered_json row = three["offers"][0];
    row["instance"] = name;
    three["offers"].push_back(row);
  }
  const std::string other = "p4d.b,A100,8,96,1152,,10,4,us-east-1,\n";
  const PriceUpdate one_gone = update_prices(test_catalog(), three, listed(p4d("10", "4") + other), on("2026-07-02")).value();
  REQUIRE(one_gone.gone.size() == 1);
  CHECK(one_gone.gone[0].find("p4d.c") == 0);
  CHECK(one_gone.document["offers"].size() == 3);  // its row stays
  PriceUpdateOptions options = on("2026-07-02");
  CHECK_FALSE(update_prices(test_catalog(), three, listed(p4d("10", "4")), options));
  options.accept = true;
  CHECK(update_prices(test_catalog(), three, listed(p4d("10", "4")), options).value().gone.size() == 2);
}

TEST_CASE("a date that is none is refused", "[prices]") {
  for (const char* date : {"", "2026", "2026-13-01", "yesterday!"}) CHECK_FALSE(update_prices(test_catalog(), one_offer(), listed(p4d("10", "4")), on(date)));
}

namespace {

std::string azure_list() { return read_file(std::string(WHICHGPU_TESTS_DIR) + "/core/prices/azure-retail.json").value(); }

ordered_json azure_offer() {
  return ordered_json::parse(R"({"$schema": "../schema/offers.schema.json", "provider": "azure", "offers": [
    {"instance": "Standard_NC24ads_A100_v4", "gpu": "nvidia-a100-pcie-80gb", "gpu_count": 1, "gpu_memory_gb": 80, "vcpus": 24, "ram_gb": 236, "local_storage_gb": 64, "interconnect": null, "region": "eastus", "price_usd_per_hour": 3.673, "spot_usd_per_hour": null, "reserved_1y_usd_per_hour": null, "reserved_3y_usd_per_hour": null, "billing_granularity": "per second", "egress_usd_per_gb": 0.087, "price_date": "2026-06-18", "labels": [], "provenance": {"sources": ["azure-retail-prices"], "date": "2026-06-18"}}]})");
}

PriceUpdateOptions azure_on(const char* date) {
  PriceUpdateOptions o = on(date);
  o.provider = "azure";
  o.source = "azure-retail-prices";
  o.origin = "azure-retail.json";
  return o;
}

}  // namespace

TEST_CASE("Azure's list: Linux on demand, spot and reservations by the hour", "[prices]") {
  const Result<PriceList> list = read_azure_prices(azure_list());
  REQUIRE(list);
  CHECK(list.value().nonsense.empty());
  CHECK(list.value().without_gpu == 1);  // the D series
  REQUIRE(list.value().prices.size() == 3);
  const ListedPrice& east = list.value().prices[0];
  CHECK(east.instance == "Standard_NC24ads_A100_v4");
  CHECK(east.region == "eastus");
  CHECK(east.gpu_count == 0);
  CHECK(east.usd_per_hour == 3.8);               // the later of two; neither Windows nor low priority
  CHECK(east.spot_usd_per_hour == 1.25);
  CHECK(east.reserved_1y_usd_per_hour == 2.5);   // by hand: 21,900 / 8,760 h
  CHECK(east.reserved_3y_usd_per_hour == 1.5);   // 39,420 / 26,280 h
  CHECK(list.value().prices[1].usd_per_hour == 4.4);  // not the price for testing
  CHECK_FALSE(list.value().prices[1].spot_usd_per_hour);
}

TEST_CASE("Azure's list is taken for machines that the file knows, in its regions", "[prices]") {
  const PriceList list = read_azure_prices(azure_list()).value();
  const PriceUpdate u = update_prices(test_catalog(), azure_offer(), list, azure_on("2026-11-20")).value();
  REQUIRE(u.changed.size() == 1);
  CHECK(u.changed[0].after == 3.8);
  CHECK(u.other_regions == 1);
  REQUIRE(u.unknown.size() == 1);  // whose GPU nobody says: a sixth of an A10
  CHECK(u.unknown[0].row.find("NV6ads") != std::string::npos);
  const ordered_json& row = u.document["offers"][1];
  CHECK(row["gpu"] == "nvidia-a100-pcie-80gb");
  CHECK(row["gpu_count"] == 1);
  CHECK(row["spot_usd_per_hour"] == 1.25);
  CHECK(row["reserved_1y_usd_per_hour"] == 2.5);
  CHECK(row["reserved_3y_usd_per_hour"] == 1.5);
  // In a region that is new it is the same machine, whose traffic may cost something else there.
  PriceUpdateOptions everywhere = azure_on("2026-11-20");
  everywhere.all_regions = true;
  const PriceUpdate wide = update_prices(test_catalog(), azure_offer(), list, everywhere).value();
  REQUIRE(wide.added.size() == 1);
  CHECK(wide.document["offers"].back()["vcpus"] == 24);
  CHECK(wide.document["offers"].back()["egress_usd_per_gb"].is_null());
}

TEST_CASE("what is no page of Azure's list, or only its beginning, is refused", "[prices]") {
  const ordered_json pages = ordered_json::parse(azure_list());
  CHECK(read_azure_prices(pages[0].dump() + "\n" + pages[1].dump() + "\n"));  // a page a line
  CHECK(read_azure_prices(pages[1].dump()));                                    // one page that is the last
  const Result<PriceList> begun = read_azure_prices(pages[0].dump());
  REQUIRE_FALSE(begun);
  CHECK(begun.error().message.find("$skip=100") != std::string::npos);
  const std::string text = azure_list();
  CHECK_FALSE(read_azure_prices(text.substr(0, text.size() / 2)));
  CHECK_FALSE(read_azure_prices(""));
  CHECK_FALSE(read_azure_prices("{}"));
  CHECK_FALSE(read_azure_prices(R"({"Items":7})"));
  CHECK_FALSE(read_azure_prices(R"([1, null])"));
  ordered_json euros = pages[1];
  euros["Items"][0]["currencyCode"] = "EUR";
  CHECK_FALSE(read_azure_prices(euros.dump()));
  // Nonsense is left out and told.
  ordered_json odd = pages[1];
  odd["Items"][0]["retailPrice"] = -1;
  CHECK(read_azure_prices(odd.dump()).value().nonsense.size() == 1);
  odd["Items"][0]["retailPrice"] = "4.4";
  CHECK(read_azure_prices(odd.dump()).value().nonsense.size() == 1);
}

TEST_CASE("a price that cannot be for so many GPUs is not taken", "[prices]") {
  PriceList list = read_azure_prices(azure_list()).value();
  list.prices[0].usd_per_hour = 101;  // one GPU
  PriceUpdateOptions options = azure_on("2026-11-20");
  options.accept = true;
  const PriceUpdate u = update_prices(test_catalog(), azure_offer(), list, options).value();
  CHECK_FALSE(u.writes());
  CHECK(u.unknown.size() == 2);
}

TEST_CASE("every file of offers is written as it was read", "[prices]") {
  const std::vector<std::string> files = list_files(std::string(WHICHGPU_DATA_DIR) + "/offers", ".json");
  REQUIRE(files.size() > 50);
  for (const std::string& path : files) {
    CAPTURE(path);
    const std::string text = read_file(path).value();
    CHECK(offers_text(ordered_json::parse(text)) == text);
  }
}
