#include <algorithm>

#include "base/order.hpp"
#include "whichgpu/catalog.hpp"

namespace whichgpu {

std::string normalize_name(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower == '"' || lower == '\'') continue;
    const bool gap = lower == ' ' || lower == '_' || lower == '-' || lower == '\t';
    if (!gap) out.push_back(lower);
    else if (!out.empty() && out.back() != '-') out.push_back('-');
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

void NameIndex::add(std::string_view name, int position) {
  std::string key = normalize_name(name);
  if (!key.empty()) names_.emplace_back(std::move(key), position);
}

std::optional<NameIndex::Clash> NameIndex::finish() {
  sort_rows(names_, [](const auto& a, const auto& b) { return a < b; });
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (std::size_t i = 1; i < names_.size(); ++i)
    if (names_[i].first == names_[i - 1].first) return Clash{names_[i].first, names_[i - 1].second, names_[i].second};
  return std::nullopt;
}

int NameIndex::find(std::string_view name) const {
  const std::string key = normalize_name(name);
  const auto it = std::lower_bound(names_.begin(), names_.end(), key, [](const auto& entry, const std::string& k) { return entry.first < k; });
  return it != names_.end() && it->first == key ? it->second : -1;
}

namespace {

constexpr std::size_t kLongestCompared = 64;  // longer names are cut: the cost of a comparison stays bounded

/// Edits (insert, delete, replace) between two names, over the first kLongestCompared characters.
int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestCompared);
  b = b.substr(0, kLongestCompared);
  int row[kLongestCompared + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NameIndex::nearest(std::string_view name, const std::vector<std::string>& ids) const {
  const std::string key = normalize_name(name);
  struct Candidate { int distance; int position; };
  std::vector<Candidate> best(ids.size(), {1 << 20, 0});
  for (const auto& [known, position] : names_) {
    int distance = edit_distance(key, known);
    if (!key.empty() && known.find(key) != std::string::npos) distance = std::min(distance, 1);
    if (position >= 0 && static_cast<std::size_t>(position) < best.size() && distance < best[position].distance) best[position] = {distance, position};
  }
  sort_rows(best, [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<std::string> out;
  const int limit = static_cast<int>(std::min(key.size(), kLongestCompared)) / 2 + 1;
  for (const Candidate& c : best) {
    if (out.size() == 3 || c.distance > limit) break;
    out.push_back(ids[c.position]);
  }
  return out;
}

}  // namespace whichgpu
