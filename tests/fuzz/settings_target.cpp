// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: settings, lines NAME=VALUE. Those in the table are put into the environment.
#include "archive/settings.hpp"

#include <cstdlib>

#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {
    "64K"sv,   "9999999999G"sv, "4194304T"sv, "200ms"sv,         "5min"sv, "1h"sv,
    "0-3,8"sv, "3-"sv,          ","sv,        "solve:100-110"sv, ":"sv,    "solve:"sv,
    "-1"sv,    "on"sv,          "false"sv,    "yes"sv,           "="sv,    "\n"sv};

std::string table_line(std::size_t i, const std::string& value) {
  return std::string(kSettings[i].variable) + "=" + value + "\n";
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  for (const Setting& setting : kSettings) unsetenv(setting.variable);
  std::string text = text_of(input);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    for (const Setting& setting : kSettings) {
      if (line.compare(0, equals, setting.variable) == 0) {
        setenv(setting.variable, line.substr(equals + 1).c_str(), 1);
      }
    }
  }
  const Status checked = check_settings();
  must(checked.ok() || !checked.problem().what.empty(), "a problem has words");
  for (std::size_t i = 0; i < std::size(kSettings); ++i) {
    const auto id = static_cast<SettingId>(i);
    const std::string_view type = kSettings[i].type;
    if (type == "flag") static_cast<void>(setting_flag(id));
    if (type == "number") static_cast<void>(setting_number(id));
    if (type == "bytes") must(setting_bytes(id) <= std::uint64_t{1} << 62, "bytes have a limit");
    if (type == "time") must(setting_time(id) >= 0, "a time is not negative");
  }
}

std::vector<Bytes> seeds() {
  std::string all, typical;
  for (std::size_t i = 0; i < std::size(kSettings); ++i) {
    all += table_line(i, kSettings[i].value);
    const std::string_view type = kSettings[i].type;
    typical += table_line(i, type == "time" ? "200ms" : type == "bytes" ? "64K" : "0-3,8");
  }
  return {bytes_of(all), bytes_of(typical)};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
