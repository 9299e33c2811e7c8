// SPDX-License-Identifier: BSD-3-Clause
// Call paths as people read them.
#include "analyzer/view/call_path_text.hpp"

#include <algorithm>
#include <map>

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

constexpr std::size_t kRecognizable = 12;  // columns of a name that is cut

// Where the "+0x9dd0" of "libfftw3_mpi.so.3.6.10+0x9dd0" begins, the place of a function without a
// name in a file; npos: the name is no such place.
std::size_t place_in_file(const std::string& name) {
  const auto plus = name.rfind("+0x");
  if (plus == std::string::npos || plus == 0 || plus + 3 == name.size()) return std::string::npos;
  const bool number = name.find_first_not_of("0123456789abcdef", plus + 3) == std::string::npos;
  return number ? plus : std::string::npos;
}

// What tells functions apart stays: the place where there is no name, else the begin.
std::string cut_name(const std::string& name, std::size_t columns) {
  const auto place = place_in_file(name);
  if (place == std::string::npos || width(name) <= columns) return cut(name, columns);
  const std::string end = name.substr(place);
  if (width(end) + 3 > columns) return cut(name, columns);
  return cut(name.substr(0, place), columns - width(end)) + end;
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

std::vector<std::string> short_call_paths(const std::vector<std::vector<std::string>>& paths,
                                          const std::vector<std::size_t>& columns) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    texts.push_back(short_call_path(paths[i], columns[i]));
    alike[texts.back()].push_back(i);
  }
  for (const auto& [text, rows] : alike) {
    for (const auto row : rows) {
      const auto& path = paths[row];
      std::size_t common = 0;  // functions at the end that another path has, too
      for (const auto other : rows) {
        if (paths[other] == path) continue;
        const auto [mine, theirs] =
            std::mismatch(path.rbegin(), path.rend(), paths[other].rbegin(), paths[other].rend());
        common = std::max(common, static_cast<std::size_t>(mine - path.rbegin()));
      }
      if (common < 2 || common >= path.size()) continue;
      const std::string front = path.size() - common == 1 ? "" : "... > ";
      const std::string back = " > ... > " + short_name(path.back());
      const auto others = width(front) + width(back);
      const auto different = short_name(path[path.size() - 1 - common]);
      if (others + std::min(kRecognizable, width(different)) > columns[row]) continue;
      texts[row] = front + cut_name(different, columns[row] - others) + back;
    }
  }
  return texts;
}

}  // namespace latecomer::view
