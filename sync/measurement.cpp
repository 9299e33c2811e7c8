// SPDX-License-Identifier: BSD-3-Clause
// Text of a measurement, and its parser.
#include "sync/measurement.hpp"

#include <algorithm>
#include <array>

#include "sync/words.hpp"

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
  add(m.partner);
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
  Words words(text);
  Measurement m;
  m.moment = words.number<std::uint32_t>();
  m.child = words.number<ClockId>();
  m.partner = words.number<std::uint32_t>();
  m.parent = words.number<ClockId>();
  const auto schemes = schemes_of(words.word());
  m.between = words.flag("inside", "between");
  m.found.remote = words.number<Nanoseconds>();
  m.found.offset = words.number<Nanoseconds>();
  m.found.error = words.number<Nanoseconds>();
  m.found.round_trip = words.number<Nanoseconds>();
  m.found.mean = words.number<Nanoseconds>();
  m.found.deviation = words.number<Nanoseconds>();
  m.found.rounds = words.number<int>();
  m.found.settled = words.flag("0", "1");
  if (!words.complete() || !schemes) return {};
  if (m.partner >= m.child || m.parent > m.partner) return {};
  const auto too_long = [](Nanoseconds time) { return time > kLongest || time < -kLongest; };
  for (const Nanoseconds time :
       {m.found.remote, m.found.offset, m.found.error, m.found.round_trip}) {
    if (too_long(time)) return {};
  }
  m.schemes = *schemes;
  m.found.round_trip *= 2;
  return m;
}

}  // namespace latecomer::sync
