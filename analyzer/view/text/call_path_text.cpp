// SPDX-License-Identifier: BSD-3-Clause
// Shortens call paths for people, without making two paths of a table look alike.
#include "analyzer/view/text/call_path_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

// "Solver::exchange" of "app::Solver::exchange": the end of a name distinguishes functions. Empty
// if there is nothing to leave out.
std::string without_scope(const std::string& name) {
  const auto scope = name.find("::");
  if (scope == std::string::npos || name.find_first_of("({<!") < scope) return "";
  return name.substr(scope + 2);
}

constexpr std::size_t kRecognizable = 12;  // columns that a shortened name has at least

// Position of "+0x9dd0" in "libfftw3_mpi.so.3.6.10+0x9dd0", the place of a function without a name
// in a file; npos: the name is not such a place.
std::size_t place_in_file(const std::string& name) {
  const auto plus = name.rfind("+0x");
  if (plus == std::string::npos || plus == 0 || plus + 3 == name.size()) return std::string::npos;
  const bool number = name.find_first_not_of("0123456789abcdef", plus + 3) == std::string::npos;
  return number ? plus : std::string::npos;
}

// Shortens a name but keeps what distinguishes functions: the place if there is no name, otherwise
// the begin.
std::string cut_name(const std::string& name, std::size_t columns) {
  const auto place = place_in_file(name);
  if (place == std::string::npos || width(name) <= columns) return cut(name, columns);
  const std::string end = name.substr(place);
  if (width(end) + 3 > columns) return cut(name, columns);
  return cut(name.substr(0, place), columns - width(end)) + end;
}

// The name without return type, arguments and anonymous namespaces; without template arguments
// unless `template_arguments`.
std::string stripped(const std::string& full, bool template_arguments) {
  // Operators contain the characters at which names are cut elsewhere, and so do lambdas, OpenMP
  // constructs, and functions of Python ("<module>", "main.<locals>.work").
  if (full.find("operator") != std::string::npos || full.empty() || full[0] == '!' ||
      full.find('{') != std::string::npos || full[0] == '<' ||
      full.find(".<") != std::string::npos) {
    return full;
  }
  if (const auto place = place_in_file(full); place != std::string::npos) {
    return full.substr(0, std::min(full.find(".so"), place)) + full.substr(place);
  }
  std::string name = full;
  const std::string_view anonymous = "(anonymous namespace)::";
  for (auto at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
    name.erase(at, anonymous.size());
  }
  std::string out;
  int depth = 0;
  // The return type ends at the last blank, if there are arguments and this is therefore a
  // function.
  std::size_t begin = 0;
  const bool function = name.find(')') != std::string::npos;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0 || template_arguments) out += c;
    if (c == ' ' && depth == 0) begin = out.size();
    if (c == '>') --depth;
    if (depth < 0) return full;
  }
  if (depth != 0 || out.empty()) return full;
  if (function && begin < out.size()) out.erase(0, begin);
  return out;
}

// Direct recursion as one part: "f (4x)" instead of "f > f > f > f".
std::vector<std::string> folded(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size();) {
    const std::size_t begin = i;
    while (i < names.size() && names[i] == names[begin]) ++i;
    const std::string times = i - begin > 1 ? " (" + std::to_string(i - begin) + "x)" : "";
    parts.push_back(names[begin] + times);
  }
  return parts;
}

// A path of short names that fits into `columns`. Parts are dropped in this order: callers in the
// middle, the root, the scope of the leaf's caller, that caller.
std::string fitted(const std::vector<std::string>& parts, std::size_t columns) {
  if (parts.empty()) return "";
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
  // The caller of the leaf says more than the root.
  if (below > 1) {
    if (auto text = join(0, 2); fits(text)) return text;
    const auto with_caller = [&](const std::string& caller) {
      return "... > " + caller + " > " + parts.back();
    };
    std::string caller = parts[below - 1];
    for (auto left = without_scope(caller); !left.empty(); left = without_scope(caller)) {
      caller = std::move(left);
      if (auto text = with_caller(caller); fits(text)) return text;
    }
    if (const auto rest = width(with_caller("")); rest + kRecognizable <= columns) {
      return with_caller(cut_name(caller, columns - rest));
    }
  }
  if (auto text = join(1, 1); fits(text)) return text;
  if (auto text = join(0, 1); fits(text)) return text;
  return cut(parts.back(), columns);
}

// The ways to show a path that looks like another one. 0: the shortest; 1: with the function
// nearest to the leaf in which they differ, shortened if necessary; 2: with the full name of this
// function; 3: the whole path. `common` is the number of functions at the end that both paths have.
constexpr std::size_t kWays = 4;
std::string another_way(const std::vector<std::string>& path, std::size_t way, std::size_t common,
                        std::size_t columns) {
  if (way == 3) {
    std::string whole;
    for (const auto& name : path) whole += (whole.empty() ? "" : " > ") + name;
    return whole;
  }
  // This path is the end of the other one, so it has no function that differs.
  if (way == 0 || common >= path.size()) return fitted(path, columns);
  const std::string front = path.size() - common == 1 ? "" : "... > ";
  std::string back;
  if (common > 1) back = " > ...";
  if (common > 0) back += " > " + path.back();
  const auto others = width(front) + width(back);
  const auto& different = path[path.size() - 1 - common];
  if (way == 2) return front + different + back;
  const auto left = columns > others ? columns - others : 0;
  return front + cut_name(different, std::max(left, kRecognizable)) + back;
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

// Each call path needs as many names as it has levels.
Status can_name_all(const report::Definitions& definitions) {
  constexpr std::uint64_t kMostNames = 20'000'000;
  std::vector<std::uint64_t> levels(definitions.call_paths.size());
  std::uint64_t names = 0, deepest = 0;
  for (std::uint32_t c = 0; c < levels.size(); ++c) {
    const auto parent = definitions.call_paths[c].parent;
    levels[c] = parent == report::kNone ? 1 : levels[parent] + 1;
    names += levels[c];
    deepest = std::max(deepest, levels[c]);
  }
  if (names <= kMostNames) return success();
  return Problem{"the call paths are too deep to name each from the root on: " +
                     counted(levels.size(), "call path") + ", up to " +
                     counted(deepest, "function") + " deep",
                 "latecomer show --top 10 names the largest, latecomer csv those with values"};
}

std::string short_name(const std::string& full) { return stripped(full, false); }

// Tries short names, then names with template arguments, then full names, until the texts differ.
std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts = names;
  const auto alike = [&] {
    std::map<std::string, std::set<std::string>> of;
    for (std::size_t i = 0; i < names.size(); ++i) of[texts[i]].insert(names[i]);
    return of;
  };
  for (auto& text : texts) text = short_name(text);
  for (const bool last : {false, true}) {
    const auto of = alike();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (of.at(texts[i]).size() > 1) texts[i] = last ? names[i] : stripped(names[i], true);
    }
  }
  return texts;
}

std::string short_call_path(const std::vector<std::string>& names, std::size_t columns) {
  std::vector<std::string> parts;
  for (const auto& name : names) parts.push_back(short_name(name));
  return fitted(folded(parts), columns);
}

std::vector<std::string> short_call_paths(const std::vector<std::vector<std::string>>& full_paths,
                                          const std::vector<std::size_t>& columns) {
  // Functions that differ only in their arguments keep these.
  std::vector<std::string> names;
  for (const auto& path : full_paths) names.insert(names.end(), path.begin(), path.end());
  names = distinct_names(names);
  std::vector<std::vector<std::string>> paths;
  for (auto next = names.begin(); const auto& path : full_paths) {
    paths.push_back(folded({next, next + std::ssize(path)}));
    next += std::ssize(path);
  }

  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    texts.push_back(fitted(paths[i], columns[i]));
    alike[texts.back()].push_back(i);
  }
  // common[i]: largest number of functions at the end that path i shares with one that looks alike.
  std::vector<std::size_t> ways(paths.size(), 0), common(paths.size(), 0);
  for (const auto& [text, rows] : alike) {
    for (const auto row : rows) {
      for (const auto other : rows) {
        if (paths[other] == paths[row]) continue;
        const auto [mine, theirs] = std::mismatch(paths[row].rbegin(), paths[row].rend(),
                                                  paths[other].rbegin(), paths[other].rend());
        common[row] = std::max(common[row], static_cast<std::size_t>(mine - paths[row].rbegin()));
      }
    }
  }
  // Shows paths that look alike in the next longer way, until all differ or there is no longer way.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::size_t> first;
    std::vector<bool> is_alike(paths.size(), false);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const auto [at, fresh] = first.emplace(texts[i], i);
      if (fresh || paths[at->second] == paths[i]) continue;
      is_alike[i] = is_alike[at->second] = true;
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!is_alike[i] || ways[i] + 1 == kWays) continue;
      texts[i] = another_way(paths[i], ++ways[i], common[i], columns[i]);
      changed = true;
    }
  }
  return texts;
}

}  // namespace latecomer::view
