// SPDX-License-Identifier: BSD-3-Clause
// Settings from environment variables: the table settings.tsv, and the values that the user gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/result.hpp"

namespace latecomer {

// One line of settings.tsv; "-" if there is no option.
struct Setting {
  const char* variable;
  const char* option;
  const char* short_option;
  // flag, text, path, number, bytes, time, rate, ranks, iterations, counters, choice:a|b|c
  const char* type;
  const char* value;  // default
  const char* help;
};

}  // namespace latecomer

#include "archive/settings_table.hpp"

namespace latecomer {

// The entry of a setting in the table.
[[nodiscard]] const Setting& setting(SettingId id);

// The value in the environment, or the default if the variable is unset or empty.
[[nodiscard]] std::string setting_text(SettingId id);
[[nodiscard]] bool setting_given(SettingId id);

// Bytes of 4096, 64K, 1M or 2G.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Values of the settings; the default if check_settings() does not accept a value.
[[nodiscard]] bool setting_flag(SettingId id);
[[nodiscard]] std::int64_t setting_number(SettingId id);
[[nodiscard]] std::uint64_t setting_bytes(SettingId id);
[[nodiscard]] std::int64_t setting_time(SettingId id);  // nanoseconds
[[nodiscard]] std::int64_t setting_rate(SettingId id);  // times per second; 0: off

// A Problem for the first variable whose value does not fit its type.
[[nodiscard]] Status check_settings();

// Variables in the environment that begin with LATECOMER_ and are not in the table. They are
// probably mistyped, so the user should hear of them.
[[nodiscard]] std::vector<std::string> unknown_settings();

}  // namespace latecomer
