// SPDX-License-Identifier: BSD-3-Clause
// Call paths as people read them.
#include "analyzer/view/call_path_text.hpp"

#include <algorithm>

#include "analyzer/view/text.hpp"

namespace latecomer::view {
namespace {

// "Solver::exchange" of "app::Solver::exchange": what is behind tells functions apart. Empty: there
// is nothing to leave out.
std::string without_scope(const std::string& name) {
  const auto scope = name.find("::");
  if (scope == std::string::npos || name.find_first_of("({<!") < scope) return "";
  return name.substr(scope + 2);
}

}  // namespace

std::vector<std::string> call_path_names(const report::Definitions& definitions,
                                         std::uint32_t call_path) {
  std::vector<std::string> names;
  for (auto c = call_path; c != report::kNone; c = definitions.call_paths[c].parent) {
    names.push_back(definitions.regions[definitions.call_paths[c].region].name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

std::string short_name(const std::string& full) {
  // Operators hold the very characters that are cut elsewhere; lambdas and OpenMP constructs too.
  if (full.find("operator") != std::string::npos || full.empty() || full[0] == '!' ||
      full.find('{') != std::string::npos) {
    return full;
  }
  std::string name = full;
  const std::string_view anonymous = "(anonymous namespace)::";
  for (auto at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
    name.erase(at, anonymous.size());
  }
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) out += c;
    if (c == '>') --depth;
    if (depth < 0) return full;
  }
  if (depth != 0 || out.empty()) return full;
  // The return type stands before the last blank, if arguments show that this is a function.
  const bool function = name.find(')') != std::string::npos;
  const auto blank = out.rfind(' ');
  if (function && blank != std::string::npos && blank + 1 < out.size()) out.erase(0, blank + 1);
  return out;
}

std::string short_call_path(const std::vector<std::string>& names, std::size_t columns) {
  if (names.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& name : names) parts.push_back(short_name(name));
  // The first `head` and the last `tail` parts.
  const auto join = [&](std::size_t head, std::size_t tail) {
    std::string text = head == 0 ? "..." : parts.front();
    if (head == 1 && head + tail < parts.size()) text += " > ...";
    for (std::size_t i = parts.size() - tail; i < parts.size(); ++i) text += " > " + parts[i];
    return text;
  };
  const auto fits = [&](const std::string& text) { return width(text) <= columns; };
  const std::size_t below = parts.size() - 1;
  for (std::size_t tail = below; tail != 1; --tail) {
    if (auto text = join(1, tail); fits(text)) return text;
    if (tail == 0) return cut(parts.front(), columns);
  }
  // The caller of the leaf tells more than the root.
  if (below > 1) {
    if (auto text = join(0, 2); fits(text)) return text;
    constexpr std::size_t kRecognizable = 12;
    const auto with_caller = [&](const std::string& caller) {
      return "... > " + caller + " > " + parts.back();
    };
    std::string caller = parts[below - 1];
    for (auto left = without_scope(caller); !left.empty(); left = without_scope(caller)) {
      caller = std::move(left);
      if (auto text = with_caller(caller); fits(text)) return text;
    }
    if (const auto rest = width(with_caller("")); rest + kRecognizable <= columns) {
      return with_caller(cut(caller, columns - rest));
    }
  }
  if (auto text = join(1, 1); fits(text)) return text;
  if (auto text = join(0, 1); fits(text)) return text;
  return cut(parts.back(), columns);
}

}  // namespace latecomer::view
