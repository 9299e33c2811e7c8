// SPDX-License-Identifier: BSD-3-Clause
// Text of a measurement.
#include "sync/measurement.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace latecomer::sync {
namespace {

struct SchemeName {
  Scheme scheme;
  char letter;
  const char* name;
};
constexpr std::array<SchemeName, 3> kSchemes = {{{Scheme::kFlatSingle, 's', "flat-single"},
                                                 {Scheme::kFlat, 'f', "flat"},
                                                 {Scheme::kHierarchical, 'h', "hierarchical"}}};

// Words of a text, one after the other; after any failure ok is false.
struct Words {
  std::string_view rest;
  bool ok = true;

  std::string_view word() {
    const std::string_view found = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(found.size() + 1, rest.size()));
    ok = ok && !found.empty();
    return found;
  }
  template <typename Integer>
  void number(Integer& value) {
    const std::string_view text = word();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    ok = ok && error == std::errc() && end == text.data() + text.size();
  }
  void flag(bool& value, std::string_view no, std::string_view yes) {
    const std::string_view text = word();
    value = text == yes;
    ok = ok && (value || text == no);
  }
};

std::optional<std::uint8_t> schemes_of(std::string_view letters) {
  std::uint8_t found = 0;
  if (letters == "-") return found;
  for (const char c : letters) {
    const auto known = std::ranges::find(kSchemes, c, &SchemeName::letter);
    if (known == kSchemes.end()) return {};
    found |= static_cast<std::uint8_t>(known->scheme);
  }
  return found;
}

}  // namespace

const char* name(Scheme scheme) {
  return std::ranges::find(kSchemes, scheme, &SchemeName::scheme)->name;
}

std::optional<Scheme> scheme_of_name(std::string_view name) {
  for (const SchemeName& known : kSchemes) {
    if (known.name == name) return known.scheme;
  }
  return {};
}

std::string to_text(const Measurement& m) {
  std::string text;
  const auto add = [&text](auto number) { text += std::to_string(number) + ' '; };
  add(m.moment);
  add(m.child);
  add(m.parent);
  for (const SchemeName& known : kSchemes) {
    if ((m.schemes & static_cast<std::uint8_t>(known.scheme)) != 0) text += known.letter;
  }
  text += m.schemes == 0 ? "- " : " ";
  text += m.between ? "between " : "inside ";
  add(m.found.remote);
  add(m.found.offset);
  add(m.found.error);
  add(m.found.round_trip / 2);
  add(m.found.mean);
  add(m.found.deviation);
  add(m.found.rounds);
  text += m.found.settled ? '1' : '0';
  return text;
}

std::optional<Measurement> parse_measurement(std::string_view text) {
  Words words{text};
  Measurement m;
  words.number(m.moment);
  words.number(m.child);
  words.number(m.parent);
  const auto schemes = schemes_of(words.word());
  words.flag(m.between, "inside", "between");
  words.number(m.found.remote);
  words.number(m.found.offset);
  words.number(m.found.error);
  words.number(m.found.round_trip);
  words.number(m.found.mean);
  words.number(m.found.deviation);
  words.number(m.found.rounds);
  words.flag(m.found.settled, "0", "1");
  if (!words.ok || !words.rest.empty() || !schemes || m.parent >= m.child) return {};
  m.schemes = *schemes;
  m.found.round_trip *= 2;
  return m;
}

}  // namespace latecomer::sync
