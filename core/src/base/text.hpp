#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Reading numbers and words from free text, without locale and without exceptions.
namespace whichgpu {

std::string lower(std::string_view text);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
bool starts_with(std::string_view text, std::string_view part);

/// The whole text as a decimal number ("12", "0.5", "1e-3"), correctly rounded, or nothing.
std::optional<double> to_number(std::string_view text);

/// The first number in the text ("batch 16 (auto)" -> 16), or nothing. Underscores and thousands commas are read over.
std::optional<double> first_number(std::string_view text);

/// The number right after the word `name` and optional '=', ':', '-', '_' or space ("TP=8", "tp8", "ZeRO-3"), or nothing.
/// The word must not continue a longer word.
std::optional<double> number_after(std::string_view lower_text, std::string_view name);

/// A number as people write it: up to `digits` significant digits, no trailing zeros, no locale: 0.0123, 118, 1.5e+12.
std::string format_number(double value, int digits = 6);

}  // namespace whichgpu
