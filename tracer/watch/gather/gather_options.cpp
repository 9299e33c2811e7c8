// SPDX-License-Identifier: BSD-3-Clause
// Reads words that are separated by commas.
#include "tracer/watch/gather/gather_options.hpp"

#include <charconv>
#include <optional>
#include <system_error>

namespace latecomer::watch {
namespace {

constexpr std::size_t kMostArity = 1024;
constexpr double kLeast = 10, kMost = 86'400'000;  // ms

// Number at the begin, which is removed.
std::optional<double> number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// A time such as 500ms or 2s; without unit: seconds.
std::optional<std::chrono::milliseconds> time(std::string_view text) {
  const auto value = number(text);
  if (!value || (!text.empty() && text != "s" && text != "ms" && text != "min")) return {};
  const double ms = *value * (text == "ms" ? 1 : text == "min" ? 60'000 : 1000);
  if (!(ms >= kLeast && ms <= kMost)) return {};
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

}  // namespace

std::string read_gather_options(std::string_view text, GatherOptions& options) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (word == "push" || word == "pull") {
      options.pull = word == "pull";
    } else if (name == "arity") {
      const auto arity = number(value);
      const bool is_whole = arity && value.empty() && *arity >= 1 && *arity <= kMostArity &&
                            *arity == static_cast<double>(static_cast<std::size_t>(*arity));
      if (!is_whole) return "arity is not a number from 1 to 1024";
      options.arity = static_cast<std::size_t>(*arity);
    } else if (name == "rate" || name == "patience") {
      const auto read = time(value);
      if (!read) return std::string(name) + " is not a time, such as 500ms or 2s";
      (name == "rate" ? options.rate : options.patience) = *read;
    } else {
      return "not one of arity=N, rate=TIME, push, pull, patience=TIME";
    }
  }
  return "";
}

}  // namespace latecomer::watch
