// SPDX-License-Identifier: BSD-3-Clause
// Parses JSON with a limit on its depth, and makes its strings printable.
#include "analyzer/report/extras/parse_json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "archive/printable.hpp"

namespace latecomer::report {
namespace {

constexpr int kMostLevels = 100;

// True if arrays and objects are nested more than kMostLevels deep.
bool is_deep(std::string_view text) {
  int levels = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++levels > kMostLevels) return true;
    } else if (c == ']' || c == '}') {
      --levels;
    }
  }
  return false;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  if (is_deep(text)) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, false);
}

void make_printable(nlohmann::json& json) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    text = printable(text);
  } else if (json.is_array()) {
    for (auto& element : json) make_printable(element);
  } else if (json.is_object()) {
    std::vector<std::pair<std::string, std::string>> odd;
    for (auto& [key, value] : json.items()) {
      make_printable(value);
      if (auto shown = printable(key); shown != key) odd.emplace_back(key, std::move(shown));
    }
    for (const auto& [key, shown] : odd) {
      json[shown] = std::move(json[key]);
      json.erase(key);
    }
  }
}

}  // namespace latecomer::report
