// SPDX-License-Identifier: BSD-3-Clause
// Reads changes. Factors are decimal numbers, which become exact ratios.
#include "analyzer/predict/change.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace latecomer::predict {
namespace {

constexpr const char* kHint = "latecomer what-if --help";

Problem wrong(const std::string& option, const std::string& value, const std::string& why) {
  return {"--" + option + " '" + value + "': " + why, kHint, Exit::kUsage};
}

// "1.3" -> 13 / 10. At most nine digits. Nothing if it is no number above 0.
std::optional<engine::Pace> factor_of(std::string_view text) {
  engine::Pace factor{0, 1};
  bool dot = false;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '.' && !dot) {
      dot = true;
    } else if (c >= '0' && c <= '9' && ++digits <= 9) {
      factor.numerator = 10 * factor.numerator + (c - '0');
      if (dot) factor.denominator *= 10;
    } else {
      return {};
    }
  }
  if (factor.numerator == 0) return {};
  return factor;
}

engine::Pace inverse(const engine::Pace& pace) { return {pace.denominator, pace.numerator}; }

// "3", "0-7,12". Nothing: another form.
std::optional<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ranks_in(
    std::string_view text) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::uint32_t& value) {
    const auto [behind, error] = std::from_chars(at, end, value);
    at = behind;
    return error == std::errc();
  };
  for (;;) {
    std::uint32_t first = 0;
    if (!number(first)) return {};
    std::uint32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return {};
    }
    ranks.emplace_back(first, last);
    if (at == end) return ranks;
    if (*at++ != ',') return {};
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

constexpr const char* kNoFactor = "the factor is not a number above 0 with at most nine digits";

Result<Change> read_speed(const std::string& option, const std::string& value) {
  Change change;
  const auto cross = value.rfind(" x");
  if (cross == std::string::npos) {
    return wrong(option, value, "no factor; how much faster is written as in 'work x2'");
  }
  const auto factor = factor_of(std::string_view(value).substr(cross + 2));
  if (!factor) return wrong(option, value, kNoFactor);
  change.pace = inverse(*factor);
  std::string_view place = trimmed(std::string_view(value).substr(0, cross));
  for (const std::string_view word : {"@ranks ", "@rank "}) {
    const auto at = place.rfind(word);
    if (at == std::string_view::npos) continue;
    const auto ranks = ranks_in(trimmed(place.substr(at + word.size())));
    if (!ranks) return wrong(option, value, "the ranks are not a list such as 0-7,12");
    change.ranks = *ranks;
    place = trimmed(place.substr(0, at));
    break;
  }
  if (place.empty()) return wrong(option, value, "it names no function");
  change.pattern = place;
  return change;
}

// "65536", "64K", "1M": units of 1024.
std::optional<std::uint64_t> bytes_in(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc()) return {};
  const std::string_view unit(end, text.data() + text.size());
  if (unit.empty()) return bytes;
  int shift = 0;
  if (unit == "K" || unit == "k") shift = 10;
  if (unit == "M") shift = 20;
  if (unit == "G") shift = 30;
  if (shift == 0 || bytes >> (63 - shift) != 0) return {};
  return bytes << shift;
}

}  // namespace

Result<Change> read_change(const std::string& option, const std::string& value) {
  Result<Change> change = Change{};
  if (option == "speed") {
    change = read_speed(option, value);
    if (!change) return change;
  } else if (option == "balance") {
    change->kind = Change::Kind::kBalance;
    change->pattern = trimmed(value);
    if (change->pattern.empty()) return wrong(option, value, "it names no function");
  } else if (option == "latency" || option == "bandwidth") {
    const bool latency = option == "latency";
    change->kind = latency ? Change::Kind::kLatency : Change::Kind::kBandwidth;
    const auto factor =
        value.starts_with("x") ? factor_of(std::string_view(value).substr(1)) : std::nullopt;
    if (!value.starts_with("x")) return wrong(option, value, "a factor is written as in 'x0.5'");
    if (!factor) return wrong(option, value, kNoFactor);
    change->pace = latency ? *factor : inverse(*factor);
  } else if (option == "eager-limit") {
    change->kind = Change::Kind::kEagerLimit;
    const auto bytes = bytes_in(value);
    if (!bytes) return wrong(option, value, "not a number of bytes such as 65536 or 64K");
    change->bytes = *bytes;
  } else if (option == "ranks-moved") {
    change->kind = Change::Kind::kRanksMoved;
    const auto colon = value.find(':');
    if (colon == std::string::npos || colon + 1 == value.size()) {
      return wrong(option, value, "ranks and their new node are written as in '3:node2'");
    }
    change->node = value.substr(colon + 1);
    auto ranks = ranks_in(trimmed(std::string_view(value).substr(0, colon)));
    if (!ranks) return wrong(option, value, "the ranks are not a list such as 0-7,12");
    change->ranks = std::move(*ranks);
  } else {
    change->kind = Change::Kind::kFileTime;
    change->pace = {0, 1};
  }
  change->text = "--" + option + (value.empty() ? "" : " '" + value + "'");
  return change;
}

}  // namespace latecomer::predict
