// SPDX-License-Identifier: BSD-3-Clause
// Settings come from the environment; wrong values are named, never guessed.
#include "archive/settings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/support/environment_variable.hpp"

using namespace latecomer;

TEST_CASE("defaults hold where nothing is set, and an empty variable is unset") {
  const Variable empty("LATECOMER_BUFFER_SIZE", "");
  CHECK(check_settings().ok());
  CHECK(setting_bytes(SettingId::kBufferSize) == 256 << 10);
  CHECK(setting_flag(SettingId::kEnable));
  CHECK(setting_text(SettingId::kTimer) == "auto");
  CHECK_FALSE(setting_given(SettingId::kBufferSize));
}

TEST_CASE("values are read by type") {
  const Variable size("LATECOMER_BUFFER_SIZE", "64K");
  const Variable off("LATECOMER_ENABLE", "off");
  const Variable id("LATECOMER_METAHOST_ID", "-3");
  CHECK(check_settings().ok());
  CHECK(setting_bytes(SettingId::kBufferSize) == 65536);
  CHECK_FALSE(setting_flag(SettingId::kEnable));
  CHECK(setting_number(SettingId::kMetahostId) == -3);
}

TEST_CASE("times have units") {
  CHECK(setting_time(SettingId::kSyncInterval) == 300'000'000'000);
  const auto [text, expected] = GENERATE(table<const char*, std::int64_t>({
      {"0", 0},
      {"7", 7'000'000'000},
      {"200ms", 200'000'000},
      {"30s", 30'000'000'000},
      {"1h", 3'600'000'000'000},
  }));
  const Variable time("LATECOMER_SYNC_INTERVAL", text);
  CHECK(setting_time(SettingId::kSyncInterval) == expected);
}

TEST_CASE("rates are times per second, or off") {
  // What is not a rate is the default.
  const auto [text, expected] = GENERATE(table<const char*, std::int64_t>(
      {{"off", 0}, {"1", 1}, {"100", 100}, {"10000", 10000}, {"0", 100}, {"fast", 100}}));
  const Variable rate("LATECOMER_SAMPLE", text);
  CHECK(setting_rate(SettingId::kSample) == expected);
}

TEST_CASE("a value that does not fit is named with what is expected") {
  const auto [variable, value, expected] = GENERATE(table<const char*, const char*, const char*>({
      {"LATECOMER_TIMER", "sundial", "one of auto, tsc, monotonic, realtime"},
      {"LATECOMER_ENABLE", "maybe", "1 or 0"},
      {"LATECOMER_BUFFER_SIZE", "many", "a number of bytes"},
      {"LATECOMER_BUFFER_SIZE", "0", "a number of bytes"},
      {"LATECOMER_BUFFER_SIZE", "9999999999G", "a number of bytes"},
      {"LATECOMER_METAHOST_ID", "one", "a whole number"},
      {"LATECOMER_SYNC_INTERVAL", "-5s", "a time"},
      {"LATECOMER_SYNC_INTERVAL", "5m", "a time"},
      {"LATECOMER_SYNC_INTERVAL", "s", "a time"},
      {"LATECOMER_SYNC_INTERVAL", "9999999999999h", "a time"},
      {"LATECOMER_SAMPLE", "0", "off, or a number of times per second"},
      {"LATECOMER_SAMPLE", "10001", "off, or a number of times per second"},
      {"LATECOMER_COUNTERS", "cycle", "off, default, or names"},
      {"LATECOMER_SAMPLE", "10ms", "off, or a number of times per second"},
  }));
  const Variable wrong(variable, value);
  const Status status = check_settings();
  REQUIRE_FALSE(status.ok());
  CHECK(status.problem().what == std::string(variable) + "=" + value + " is not understood");
  CHECK(status.problem().next.find(expected) != std::string::npos);
  CHECK(setting_bytes(SettingId::kBufferSize) == 256 << 10);  // the default
}

TEST_CASE("mistyped variables are found") {
  const Variable wrong("LATECOMER_TIMMER", "tsc");
  const Variable right("LATECOMER_TIMER", "tsc");
  const auto unknown = unknown_settings();
  CHECK(std::count(unknown.begin(), unknown.end(), "LATECOMER_TIMMER") == 1);
  CHECK(std::count(unknown.begin(), unknown.end(), "LATECOMER_TIMER") == 0);
}
