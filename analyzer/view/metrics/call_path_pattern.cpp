// SPDX-License-Identifier: BSD-3-Clause
// Chooses call paths by patterns. Parents precede children, so one pass passes the choice down.
#include "analyzer/view/metrics/call_path_pattern.hpp"

#include <algorithm>
#include <optional>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/explain.hpp"

namespace latecomer::view {
namespace {

std::vector<std::string> split(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (auto end = text.find(separator); end != std::string::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// The ways to read a pattern as a list of names. The name of a region may contain a slash, so a
// pattern with slashes is also tried as one name.
std::vector<std::vector<std::string>> readings(const std::string& pattern) {
  if (pattern.find(" > ") != std::string::npos) return {split(pattern, " > ")};
  if (pattern.find('/') != std::string::npos) return {split(pattern, "/"), {pattern}};
  return {{pattern}};
}

bool fits_region(const std::string& pattern, const std::string& name) {
  return fits(pattern, name) || fits(pattern, short_name(name));
}

// The shortest name that is most similar to `name`; empty if none is similar.
std::string nearest_region(const report::Definitions& d, const std::string& name) {
  std::string nearest;
  std::size_t smallest = 0;
  for (const auto& path : d.call_paths) {
    const std::string region = short_name(d.regions[path.region].name);
    const auto distance = edit_distance(name.substr(0, 100), region.substr(0, 100));
    if (!nearest.empty() && distance >= smallest) continue;
    nearest = region;
    smallest = distance;
  }
  if (smallest > std::max<std::size_t>(2, name.size() / 3)) return "";
  return nearest;
}

}  // namespace

// Matching with backtracking to the last star only, which is enough: an earlier star cannot help
// where a later one fails.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::optional<std::size_t> star;  // position after the last * that was met
  std::size_t resume = 0;           // position in the text at which its next attempt begins
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star) {
      p = *star;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<bool> ends_with(const report::Definitions& d, const std::string& pattern) {
  std::vector<bool> chosen(d.call_paths.size());
  for (const auto& names : readings(pattern)) {
    // Compares each name with each region once, not once per call path.
    std::vector<std::vector<bool>> fitting;
    for (const auto& name : names) {
      auto& regions = fitting.emplace_back();
      for (const auto& region : d.regions) regions.push_back(fits_region(name, region.name));
    }
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      std::size_t left = names.size();
      auto at = c;
      while (left > 0 && at != report::kNone && fitting[left - 1][d.call_paths[at].region]) {
        --left;
        at = d.call_paths[at].parent;
      }
      if (left == 0) chosen[c] = true;
    }
  }
  return chosen;
}

namespace {

// Names of the first functions of the program that have call paths, from the outermost ones inward.
std::string some_functions(const report::Definitions& d) {
  constexpr std::size_t kMost = 6;
  std::vector<std::uint32_t> found;
  std::string text;
  for (const auto& call_path : d.call_paths) {
    const std::string& name = d.regions[call_path.region].name;
    if (name.starts_with("MPI_")) continue;
    if (std::ranges::find(found, call_path.region) != found.end()) continue;
    if (found.size() == kMost) return text + ", ...";
    text += (found.empty() ? "" : ", ") + name;
    found.push_back(call_path.region);
  }
  return text;
}

}  // namespace

Result<std::vector<bool>> at_or_below(const report::Definitions& d, const std::string& pattern) {
  auto chosen = ends_with(d, pattern);
  bool any = false;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const auto parent = d.call_paths[c].parent;
    if (parent != report::kNone && chosen[parent]) chosen[c] = true;
    any = any || chosen[c];
  }
  if (any) return chosen;
  const auto nearest = nearest_region(d, readings(pattern).front().back());
  return Problem{
      "no call path fits " + pattern + (nearest.empty() ? "" : "; the nearest name is " + nearest),
      "* and ? stand for any letters; the run has " + some_functions(d), Exit::kUsage};
}

}  // namespace latecomer::view
