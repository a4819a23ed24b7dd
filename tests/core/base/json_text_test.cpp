#include "base/json_text.hpp"

#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace whichgpu {
namespace {

using nlohmann::json;

TEST_CASE("JSON text is what the library writes", "[base]") {
  const json documents[] = {
      json::object(), json::array(), json(), json(true), json(-7), json(18446744073709551615ull), json(0.1), json(-0.0), json(1e300), json(5e-324), json(123456789.25),
      json("plain"), json("quote \" backslash \\ tab \t line \n zero \x01 delete \x7f"), json("Größe 模型 🙂"),
      json({{"b", {1, 2.5, "x"}}, {"a", {{"nested \"key\"", nullptr}}}, {"c", json::array({json::array(), json::object()})}})};
  for (const json& d : documents) CHECK(json_text(d) == d.dump());
}

TEST_CASE("bytes that are no UTF-8 become the replacement character", "[base]") {
  for (const char* bad : {"\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xe2\x82"}) {
    const std::string text = json_text(json(std::string("a") + bad + "b"));
    CAPTURE(text);
    const json back = json::parse(text, nullptr, false);
    REQUIRE(back.is_string());
    CHECK(back.get<std::string>().find("\xef\xbf\xbd") == 1);
    CHECK(back.get<std::string>().back() == 'b');
  }
}

TEST_CASE("what is no number is null", "[base]") {
  JsonText text;
  text.open('[');
  for (const double v : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 1.5}) text.number(v);
  text.close(']');
  CHECK(text.take() == "[null,null,null,1.5]");
}

}  // namespace
}  // namespace whichgpu
