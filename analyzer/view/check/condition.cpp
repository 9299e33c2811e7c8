// SPDX-License-Identifier: BSD-3-Clause
// Parses a condition: name, sign, number, unit; blanks between them are ignored.
#include "analyzer/view/check/condition.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>

namespace latecomer::view {
namespace {

struct Unit {
  const char* word;
  double factor;
  const char* unit;
};

constexpr std::array<Unit, 10> kUnits = {{{"s", 1, "sec"},
                                          {"ms", 1e-3, "sec"},
                                          {"us", 1e-6, "sec"},
                                          {"ns", 1e-9, "sec"},
                                          {"min", 60, "sec"},
                                          {"h", 3600, "sec"},
                                          {"B", 1, "bytes"},
                                          {"kB", 1e3, "bytes"},
                                          {"MB", 1e6, "bytes"},
                                          {"GB", 1e9, "bytes"}}};

std::string without_blanks_around(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

Result<Condition> parse_condition(const std::string& text, const std::string& option) {
  const Problem wrong = {option + " '" + text + "' is no condition",
                         "name a metric, < or >, and a bound: 'mpi_latesender>+5%', 'waiting<0.5s'",
                         Exit::kUsage};
  const auto at = text.find_first_of("<>");
  if (at == std::string::npos || at == 0) return wrong;
  Condition condition;
  condition.text = text;
  condition.metric = without_blanks_around(text.substr(0, at));
  condition.above = text[at] == '>';
  std::string bound = without_blanks_around(text.substr(at + 1));
  if (condition.metric.empty() || bound.empty()) return wrong;
  condition.change = bound[0] == '+' || bound[0] == '-';
  const bool negative = bound[0] == '-';
  if (condition.change) bound.erase(0, 1);
  if (bound.empty() || (bound[0] != '.' && (bound[0] < '0' || bound[0] > '9'))) return wrong;
  const auto [end, error] =
      std::from_chars(bound.data(), bound.data() + bound.size(), condition.bound);
  if (error != std::errc() || !std::isfinite(condition.bound)) return wrong;
  if (negative) condition.bound = -condition.bound;
  const std::string word =
      without_blanks_around(bound.substr(static_cast<std::size_t>(end - bound.data())));
  if (word.empty()) return condition;
  if (word == "%") {
    condition.percent = true;
    return condition;
  }
  for (const auto& unit : kUnits) {
    if (word != unit.word) continue;
    condition.bound *= unit.factor;
    condition.unit = unit.unit;
    return condition;
  }
  return Problem{option + " '" + text + "': " + word + " is no unit that is known",
                 "s, ms, us, ns, min, h, B, kB, MB, GB, %, or none", Exit::kUsage};
}

}  // namespace latecomer::view
