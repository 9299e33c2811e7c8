// SPDX-License-Identifier: BSD-3-Clause
// A window of visits of a region of the program: REGION:FIRST-LAST, or REGION:ONE.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace latecomer::session {

// Parsed form of such a window:
//
//   solve:100-110           visits 100 to 110, counted from 1
//   ns::step(int):7         names may have colons; the last one counts
struct IterationWindow {
  std::string region;
  std::uint64_t first = 1, last = 1;

  // Empty for an empty or malformed text (settings are checked before).
  static std::optional<IterationWindow> parse(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return {};
    const std::string_view visits = text.substr(colon + 1);
    const auto dash = visits.find('-');
    const auto first = number(visits.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(visits.substr(dash + 1));
    if (!first || !last || *first < 1 || *last < *first) return {};
    return IterationWindow{std::string(text.substr(0, colon)), *first, *last};
  }

  // Matches the name of a function with and without its arguments.
  [[nodiscard]] bool names(std::string_view name) const {
    return name.starts_with(region) && (name.size() == region.size() || name[region.size()] == '(');
  }

 private:
  static std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
    return value;
  }
};

// Called after the last record of MPI_Init: recording goes off unless a visit of the window is
// running.
void begin_iterations();
// Number of visits so far.
[[nodiscard]] std::uint64_t iteration_visits();

}  // namespace latecomer::session
