#include "paste/readers.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace whichgpu::paste {
namespace {

using Card = PastedMachine::Card;

/// The card of that name whose memory is nearest to the printed one: "GeForce RTX 4060 Ti" is two cards.
const Gpu* gpu_named(const Catalog& catalog, std::string_view name, Figure memory_gib) {
  const Gpu* found = nullptr;
  // "AMD Instinct MI300X OAM", "NVIDIA A10G (UUID…": shorter and shorter at word ends.
  for (std::string_view text = trim(name); !text.empty() && !found;) {
    found = catalog.find_gpu(text);
    const std::size_t cut = text.find_last_of(' ');
    if (cut == std::string_view::npos || text.substr(0, cut).find(' ') == std::string_view::npos) break;  // one word names no card
    text = trim(text.substr(0, cut));
  }
  if (!found || !memory_gib || found->vendor == "Apple") return found;
  const auto off = [&](const Gpu& g) { return std::abs(g.memory_gib_usable.value_or(g.memory_gb.value_or(0)) / *memory_gib - 1); };
  const auto stem = [](const Gpu& g) {
    const std::size_t dash = g.id.find_last_of('-');
    return dash != std::string::npos && g.id.size() > 2 && g.id.compare(g.id.size() - 2, 2, "gb") == 0 ? g.id.substr(0, dash) : g.id;
  };
  constexpr double kSameMemory = 0.12;  // what drivers keep for themselves, and ECC
  if (off(*found) <= kSameMemory) return found;
  const std::string kin = stem(*found);
  for (const Gpu& g : catalog.gpus)
    if (stem(g) == kin && off(g) < off(*found)) found = &g;
  return found;
}

void add(PastedMachine& machine, const Catalog& catalog, std::string_view name, Figure memory_gib) {
  const std::string_view printed = trim(name);
  if (printed.empty() || printed.size() > 200) return;
  const Gpu* gpu = gpu_named(catalog, printed, memory_gib);
  for (Card& card : machine.cards)
    if (card.name == printed && card.gpu == gpu) {
      ++card.count;
      return;
    }
  machine.cards.push_back({std::string(printed), gpu, 1, memory_gib});
}

/// "24564MiB", "81920 MiB", "96 GB" -> GiB.
Figure gib_of(std::string_view text) {
  const auto n = first_number(text);
  if (!n || *n <= 0) return std::nullopt;
  const std::string unit = lower(text);
  if (contains(unit, "mib") || contains(unit, "mb")) return *n / 1024;
  if (contains(unit, "gib") || contains(unit, "gb")) return *n;  // tools print GB where they mean GiB
  return std::nullopt;
}

/// The part of a line after `label` and a colon, in any case.
std::optional<std::string_view> after(std::string_view line, std::string_view label) {
  const std::string low = lower(line);
  const std::size_t at = low.find(label);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t colon = low.find(':', at + label.size());
  if (colon == std::string::npos || trim(std::string_view(low).substr(at + label.size(), colon - at - label.size())) != "") return std::nullopt;
  return trim(line.substr(colon + 1));
}

}  // namespace

std::optional<PastedMachine> read_machine(const Catalog& catalog, const std::vector<std::string_view>& lines) {
  PastedMachine machine;
  bool csv = false;
  std::string waiting;  // a card of nvidia-smi's table, whose memory stands on the next line
  std::string chip;
  int cores = 0;
  for (const std::string_view raw : lines) {
    const std::string_view line = trim(raw);
    const std::string low = lower(line);
    // nvidia-smi -L
    if (starts_with(low, "gpu ") && contains(low, "(uuid:")) {
      const std::size_t colon = line.find(':'), open = line.find('(');
      if (colon < open) add(machine, catalog, line.substr(colon + 1, open - colon - 1), std::nullopt);
      continue;
    }
    // nvidia-smi --query-gpu=name,memory.total --format=csv
    if (starts_with(low, "name") && contains(low, "memory.total")) {
      csv = true;
      continue;
    }
    if (csv) {
      const std::size_t comma = line.find(',');
      if (comma != std::string_view::npos) add(machine, catalog, line.substr(0, comma), gib_of(line.substr(comma + 1)));
      continue;
    }
    // nvidia-smi: "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |", then "… |   1234MiB / 24564MiB |"
    if (!line.empty() && line[0] == '|') {
      if (!waiting.empty()) {
        const std::size_t slash = line.find("MiB /");
        if (slash != std::string_view::npos) {
          add(machine, catalog, waiting, gib_of(line.substr(slash + 5, line.find('|', slash) - slash - 5)));
          waiting.clear();
          continue;
        }
      }
      const std::string_view cell = trim(line.substr(1, line.find('|', 1) - 1));
      std::size_t digits = 0;
      while (digits < cell.size() && cell[digits] >= '0' && cell[digits] <= '9') ++digits;
      const bool row = digits > 0 && digits < 4 && digits < cell.size() && cell[digits] == ' ' && contains(line, ":") && !contains(low, "mib");
      if (row && waiting.empty()) {
        std::string_view name = trim(cell.substr(digits));
        for (const std::string_view word : {" On", " Off", " N/A"})  // persistence mode
          if (name.size() > word.size() && name.substr(name.size() - word.size()) == word) {
            name = trim(name.substr(0, name.size() - word.size()));
            break;
          }
        waiting = name;
      }
      continue;
    }
    // rocm-smi --showproductname, amd-smi static
    if (starts_with(low, "gpu[") && (contains(low, "card series") || contains(low, "card model"))) {
      const std::size_t colon = line.find_last_of(':');
      if (contains(low, "card series")) add(machine, catalog, line.substr(colon + 1), std::nullopt);
      continue;
    }
    if (const auto name = after(low == line ? line : line, "market_name")) add(machine, catalog, *name, std::nullopt);
    // system_profiler SPHardwareDataType SPDisplaysDataType
    if (const auto name = after(line, "chipset model")) chip = *name;
    else if (const auto hardware = after(line, "chip"); hardware && chip.empty() && contains(lower(*hardware), "apple")) chip = *hardware;
    if (const auto count = after(line, "total number of cores"); count && !chip.empty() && !contains(*count, "(")) cores = static_cast<int>(first_number(*count).value_or(0));
    if (const auto memory = after(line, "memory"); memory && !machine.ram_gib) machine.ram_gib = gib_of(*memory);
  }
  if (!waiting.empty()) add(machine, catalog, waiting, std::nullopt);
  if (starts_with(lower(chip), "apple")) {
    const std::string named = chip + " (" + std::to_string(cores) + "-core GPU)";
    const bool exact = cores > 0 && catalog.find_gpu(named);
    add(machine, catalog, exact ? named : chip, machine.ram_gib);
  } else if (!chip.empty()) {
    add(machine, catalog, chip, std::nullopt);
  }
  if (machine.cards.empty()) return std::nullopt;
  return machine;
}

}  // namespace whichgpu::paste
