// SPDX-License-Identifier: BSD-3-Clause
// Reads and checks the environment.
#include "archive/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "archive/counter_names.hpp"

extern "C" char** environ;

namespace latecomer {
namespace {

std::optional<bool> parse_flag(std::string_view text) {
  for (const std::string_view yes : {"1", "on", "yes", "true"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "off", "no", "false"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Nanoseconds of 200ms, 30s, 5min or 1h; a number without a unit is in seconds.
std::optional<std::int64_t> parse_time(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t length;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  // The order matters: "ms" ends with "s", and every text ends with "".
  for (const Unit unit : {Unit{"ms", kSecond / 1000}, Unit{"min", 60 * kSecond},
                          Unit{"h", 3600 * kSecond}, Unit{"s", kSecond}, Unit{"", kSecond}}) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    const auto value = parse_number(text);
    constexpr std::int64_t kLongest = std::int64_t{1} << 61;
    if (!value || *value < 0 || *value > kLongest / unit.length) return std::nullopt;
    return *value * unit.length;
  }
  return std::nullopt;
}

// True for a text such as solve:100-110 or solve:7.
bool is_iteration_window(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view visits = text.substr(colon + 1);
  const auto dash = visits.find('-');
  const auto first = parse_number(visits.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(visits.substr(dash + 1));
  return first && last && *first >= 1 && *last >= *first;
}

// True for a text such as 0-3,8.
bool is_rank_set(std::string_view text) {
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > INT32_MAX) return false;
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return true;
}

// Times per second; 0 for "off".
std::optional<std::int64_t> parse_rate(std::string_view text) {
  constexpr std::int64_t kMost = 10000;
  if (text == "off") return 0;
  const auto value = parse_number(text);
  return value && *value >= 1 && *value <= kMost ? value : std::nullopt;
}

bool is_choice(std::string_view choices, std::string_view text) {
  while (!choices.empty()) {
    const auto bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 1);
  }
  return false;
}

constexpr std::string_view kChoice = "choice:";

bool fits(const Setting& setting, std::string_view text) {
  const std::string_view type = setting.type;
  // The default always fits, even if it is empty.
  if (text == setting.value) return true;
  if (type == "flag") return parse_flag(text).has_value();
  if (type == "number") return parse_number(text).has_value();
  if (type == "bytes") return parse_bytes(text).has_value();
  if (type == "time") return parse_time(text).has_value();
  if (type == "rate") return parse_rate(text).has_value();
  if (type == "ranks") return is_rank_set(text);
  if (type == "iterations") return is_iteration_window(text);
  if (type == "counters") return parse_counters(text).has_value();
  if (type.starts_with(kChoice)) return is_choice(type.substr(kChoice.size()), text);
  return true;
}

std::string expectation(std::string_view type) {
  if (type == "flag") return "1 or 0";
  if (type == "number") return "a whole number";
  if (type == "bytes") return "a number of bytes, such as 65536, 64K or 1M";
  if (type == "time") return "a time, such as 200ms, 30s, 5min or 1h";
  if (type == "rate") return "off, or a number of times per second from 1 to 10000";
  if (type == "ranks") return "ranks such as 0-3,8";
  if (type == "iterations") return "a region and its visits, counted from 1, such as solve:100-110";
  if (type == "counters") return "off, default, or names as scan --counters list shows them";
  std::string choices(type.substr(kChoice.size()));
  for (auto at = choices.find('|'); at != std::string::npos; at = choices.find('|', at)) {
    choices.replace(at, 1, ", ");
  }
  return "one of " + choices;
}

std::string valid_text(SettingId id) {
  std::string text = setting_text(id);
  return fits(setting(id), text) ? text : setting(id).value;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const auto unit = std::string_view("KMG").find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  const auto value = parse_number(text);
  if (!value || *value <= 0 || *value > (std::int64_t{1} << 62) >> shift) return std::nullopt;
  return static_cast<std::uint64_t>(*value) << shift;
}

const Setting& setting(SettingId id) { return kSettings[static_cast<unsigned>(id)]; }

bool setting_given(SettingId id) {
  const char* value = std::getenv(setting(id).variable);
  return value != nullptr && *value != '\0';
}

std::string setting_text(SettingId id) {
  return setting_given(id) ? std::getenv(setting(id).variable) : setting(id).value;
}

bool setting_flag(SettingId id) { return parse_flag(valid_text(id)).value_or(false); }

std::int64_t setting_number(SettingId id) { return parse_number(valid_text(id)).value_or(0); }

std::uint64_t setting_bytes(SettingId id) { return parse_bytes(valid_text(id)).value_or(0); }

std::int64_t setting_time(SettingId id) { return parse_time(valid_text(id)).value_or(0); }

std::int64_t setting_rate(SettingId id) { return parse_rate(valid_text(id)).value_or(0); }

Status check_settings() {
  for (const Setting& setting : kSettings) {
    const char* value = std::getenv(setting.variable);
    if (value == nullptr || *value == '\0' || fits(setting, value)) continue;
    return Problem{std::string(setting.variable) + "=" + value + " is not understood",
                   "set it to " + expectation(setting.type) + ", or unset it", Exit::kUsage};
  }
  return success();
}

std::vector<std::string> unknown_settings() {
  constexpr std::string_view kPrefix = "LATECOMER_";
  std::vector<std::string> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry, std::strcspn(*entry, "="));
    if (!variable.starts_with(kPrefix)) continue;
    bool known = false;
    for (const Setting& setting : kSettings) known = known || variable == setting.variable;
    if (!known) unknown.emplace_back(variable);
  }
  return unknown;
}

}  // namespace latecomer
