// SPDX-License-Identifier: BSD-3-Clause
// Environment variables: the table settings.tsv, and the values that the user gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/result.hpp"

namespace latecomer {

// One line of settings.tsv; "-" where there is no option.
struct Setting {
  const char* variable;
  const char* option;
  const char* short_option;
  const char* type;   // flag, text, path, number, bytes, time, choice:a|b|c
  const char* value;  // default
  const char* help;
};

}  // namespace latecomer

#include "archive/settings_table.hpp"

namespace latecomer {

[[nodiscard]] const Setting& setting(SettingId id);

// The value in the environment, or the default where the variable is unset or empty.
[[nodiscard]] std::string setting_text(SettingId id);
[[nodiscard]] bool setting_given(SettingId id);

// 4096, 64K, 1M, 2G
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Values of settings that check_settings() accepts; the default for those it does not.
[[nodiscard]] bool setting_flag(SettingId id);
[[nodiscard]] std::int64_t setting_number(SettingId id);
[[nodiscard]] std::uint64_t setting_bytes(SettingId id);
[[nodiscard]] std::int64_t setting_time(SettingId id);  // nanoseconds

// The first variable whose value does not fit its type.
[[nodiscard]] Status check_settings();

// Variables in the environment that begin with LATECOMER_ and are not in the table: most likely
// mistyped, so they should be named to the user.
[[nodiscard]] std::vector<std::string> unknown_settings();

}  // namespace latecomer
