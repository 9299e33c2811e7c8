// SPDX-License-Identifier: BSD-3-Clause
// Names the lines that have most of the difference.
#include "analyzer/view/summary/longer_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

// "heat.c:88", or the function if its line is not known.
std::string place_of(const report::LongerComputation::Line& line) {
  if (line.line == 0 || line.file.empty()) return short_name(line.function);
  return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
}

}  // namespace

std::string longer_text(const report::LongerComputation& longer, const std::string& within) {
  constexpr std::size_t kMost = 3;
  constexpr double kNearlyAll = 0.95, kWorthNaming = 0.05;
  if (!(longer.seconds > 0)) return "";
  if (longer.is_off_processor()) {
    return "it was without a processor for " + duration_text(longer.off_processor) +
           " longer than the others: asleep, waiting for a file or a lock, or without a free core";
  }
  if (longer.lines.empty()) return "";
  std::vector<std::pair<std::string, double>> places;  // the same line may be at several call paths
  for (const auto& line : longer.lines) {
    const auto place = place_of(line);
    const auto known = std::ranges::find(places, place, [](const auto& one) { return one.first; });
    if (known == places.end()) {
      places.emplace_back(place, line.seconds);
    } else {
      known->second += line.seconds;
    }
  }
  std::ranges::stable_sort(places, std::greater{}, [](const auto& one) { return one.second; });
  const std::string function = short_name(within);
  std::string text = "it computed " +
                     duration_text(longer.seconds - std::max(0.0, longer.off_processor)) +
                     " longer than the others in " + function;
  const auto& [first, seconds] = places.front();
  // Lines may have more than the whole, if the others computed longer elsewhere.
  double whole = 0;
  for (const auto& [place, part] : places) whole += part;
  whole = std::max(whole, longer.seconds);
  if (seconds >= kNearlyAll * whole) {
    return first == function ? text : text + " (" + first + ")";
  }
  std::size_t named = 0;
  for (const auto& [place, part] : places) {
    if (named == kMost || part < kWorthNaming * whole) break;
    text += (named++ == 0 ? ": " : ", ") + percent(part, whole, 0) + " % " +
            (place.find(':') == std::string::npos ? "in " : "at ") + place;
  }
  return text;
}

}  // namespace latecomer::view
