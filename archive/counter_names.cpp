// SPDX-License-Identifier: BSD-3-Clause
// Looks up names of counters, and reads events that are given by number.
#include "archive/counter_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "archive/counter_table.hpp"

namespace latecomer {
namespace {

constexpr std::string_view kDefaultCounters = "instructions,cycles";

const KnownCounter* known_counter(std::string_view name) {
  const auto* const found = std::ranges::find(kKnownCounters, name, &KnownCounter::name);
  return found == std::end(kKnownCounters) ? nullptr : found;
}

template <typename Number>
bool parse_digits(std::string_view text, Number& number, int base) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, base);
  return !text.empty() && error == std::errc() && at == end;
}

bool is_counter_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
}

std::optional<ChosenCounter> parse_counter(std::string_view text) {
  if (const KnownCounter* const one = known_counter(text)) {
    return ChosenCounter{one->name, one->source, one->config, one->description};
  }
  const auto equals = text.rfind('=');
  if (equals == std::string_view::npos || !is_counter_name(text.substr(0, equals)))
    return std::nullopt;
  const std::string_view event = text.substr(equals + 1);
  const auto colon = event.find(':');
  ChosenCounter one{std::string(text.substr(0, equals)), 0, 0, ""};
  if (colon == std::string_view::npos || !parse_digits(event.substr(0, colon), one.source, 10) ||
      one.source < 0 || !parse_digits(event.substr(colon + 1), one.config, 16)) {
    return std::nullopt;
  }
  return one;
}

}  // namespace

std::optional<std::vector<ChosenCounter>> parse_counters(std::string_view text) {
  std::vector<ChosenCounter> all;
  if (text == "off") return all;
  if (text == "default") text = kDefaultCounters;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    auto one = parse_counter(text.substr(0, comma));
    if (!one || all.size() == kMostCounters) return std::nullopt;
    all.push_back(std::move(*one));
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return all;
}

std::string counters_text(const std::vector<ChosenCounter>& counters) {
  std::string text;
  for (const ChosenCounter& one : counters) {
    text += (text.empty() ? "" : ",") + one.name;
    if (known_counter(one.name) != nullptr) continue;
    std::array<char, 16> number{};
    const auto end = std::to_chars(number.data(), number.data() + number.size(), one.config, 16);
    text += "=" + std::to_string(one.source) + ":" + std::string(number.data(), end.ptr);
  }
  return text.empty() ? "off" : text;
}

}  // namespace latecomer
