// SPDX-License-Identifier: BSD-3-Clause
// Parser and matching of filter files.
#include "tracer/filter/filter.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <numeric>
#include <utility>
#include <vector>

#include "archive/plain_file.hpp"
#include "archive/settings.hpp"
#include "tracer/functions/function_groups.hpp"
#include "tracer/functions/openmp_constructs.hpp"

namespace latecomer::user {
namespace {

constexpr const char* kHelp =
    "rules stand between SCOREP_REGION_NAMES_BEGIN and SCOREP_REGION_NAMES_END (or "
    "SCOREP_FILE_NAMES_...): EXCLUDE or INCLUDE and patterns";

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Takes the next word off a line; empty at the end of the line. A backslash before a blank or #
// removes its meaning and stays in the word, because patterns need it.
std::string_view take_word(std::string_view& line) {
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  if (line.empty() || line.front() == '#') return {};
  std::size_t length = 0;
  while (length < line.size() && !blank(line[length]) && line[length] != '#') {
    length += line[length] == '\\' && length + 1 < line.size() ? 2 : 1;
  }
  const auto word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

// The name without its last pair of parentheses and what follows: "foo(int) const" -> "foo". Empty
// if there is no argument list.
std::string without_arguments(const std::string& name) {
  const auto end = name.rfind(')');
  if (end == std::string::npos) return {};
  int depth = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(0, i);
  }
  return {};
}

bool matches(const std::string& pattern, const std::string& text) {
  return !text.empty() && fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// Levenshtein distance: number of characters to insert, remove or replace.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = before + (from[i - 1] == to[j - 1] ? 0 : 1);
      before = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// The keyword that is misspelt at the beginning of a line, which would otherwise be a pattern; or
// null.
const char* meant(const std::string& word) {
  std::string capitals;
  for (const char c : word)
    capitals += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool shouted = capitals == word;
  for (const char* const keyword : {"EXCLUDE", "INCLUDE"}) {
    if (word == keyword) return nullptr;
  }
  const char* best = nullptr;
  std::size_t least = shouted ? 3 : 1;  // 1 allows for patterns such as `excluded`
  for (const char* const keyword : {"EXCLUDE", "INCLUDE"}) {
    const std::size_t d = distance(capitals, keyword);
    if (d < least) {
      least = d;
      best = keyword;
    }
  }
  return best;
}

// The three names of constructs that differ least from a pattern.
std::string similar_constructs(const std::string& pattern) {
  std::vector<std::pair<std::size_t, std::string_view>> names;
  for (const auto& words : openmp::kConstructWords) {
    const std::string_view name = openmp::filter_name(words);
    names.emplace_back(distance(pattern, name), name);
  }
  std::ranges::stable_sort(names, {}, [](const auto& name) { return name.first; });
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) text += (i == 0 ? "" : ", ") + std::string(names[i].second);
  return text;
}

constexpr std::string_view kGroup = "MPI:";
constexpr std::string_view kConstruct = "OMP:";
constexpr const char* kGroupHelp =
    "groups are MPI:collective, MPI:io, MPI:local, MPI:one-sided, MPI:point2point, MPI:tests";

}  // namespace

bool Filter::names(const Rule& rule, const mpi::RegionInfo& function) {
  const std::string_view pattern = rule.pattern;
  if (!pattern.starts_with(kGroup)) return matches(rule.pattern, function.name);
  const std::string_view group = pattern.substr(kGroup.size());
  return std::ranges::find(mpi::kFunctionGroups, group) != mpi::kFunctionGroups.end() &&
         mpi::is_in_group(function, group);
}

bool Filter::excludes(const mpi::RegionInfo& function) const {
  bool excluded = false;
  for (const Rule& rule : mpi_) {
    if (names(rule, function)) excluded = rule.exclude;
  }
  return excluded && !mpi::is_always_recorded(function.name);
}

bool Filter::excludes_construct(const std::string& name) const {
  bool excluded = false;
  for (const Rule& rule : constructs_) {
    if (matches(rule.pattern, name)) excluded = rule.exclude;
  }
  return excluded;
}

// Parses word by word, and knows the line of each word.
class Filter::Parser {
 public:
  explicit Parser(std::string where) : where_(std::move(where)) {}

  Result<Filter> parse(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const auto end = text.find('\n');
      auto line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      bool is_first = true;
      for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
        const std::string taken(word);
        if (const char* const keyword = std::exchange(is_first, false) ? meant(taken) : nullptr) {
          return Problem{place() + "'" + taken + "': " + keyword + " is meant?",
                         "keywords are in capitals; a pattern that looks like one goes after "
                         "another pattern in its line, or has a character in brackets",
                         Exit::kUsage};
        }
        if (const auto status = take(taken); !status) return status.problem();
      }
    }
    if (block_ == nullptr) return std::move(filter_);
    line_ = block_line_;
    return problem("this block has no end");
  }

 private:
  Status take(const std::string& word) {
    if (word == "SCOREP_FILE_NAMES_BEGIN") return begin(filter_.files_, "SCOREP_FILE_NAMES_END");
    if (word == "SCOREP_REGION_NAMES_BEGIN") {
      return begin(filter_.regions_, "SCOREP_REGION_NAMES_END");
    }
    if (block_ == nullptr) return problem("'" + word + "' stands outside of a block");
    if (word == end_) return end();
    if (word.starts_with("SCOREP_")) {
      return problem("'" + word + "' where " + end_ + " is expected");
    }
    if (word == "EXCLUDE" || word == "INCLUDE") return rule(word == "EXCLUDE");
    if (!in_rule_) return problem("'" + word + "' where EXCLUDE or INCLUDE is expected");
    if (word == "MANGLED") {
      if (block_ == &filter_.files_) return problem("MANGLED means nothing for file names");
      rule_.mangled = true;
      return success();
    }
    rule_.pattern = word;
    has_pattern_ = true;
    const bool of_mpi = word.starts_with("MPI_") || word.starts_with("MPI:");
    if (block_ == &filter_.regions_ && !rule_.mangled && of_mpi) return take_functions();
    if (block_ == &filter_.regions_ && !rule_.mangled && word.starts_with(kConstruct)) {
      rule_.pattern = word.substr(kConstruct.size());
      return take_constructs();
    }
    block_->push_back(rule_);
    return success();
  }

  // Takes a pattern of MPI functions. A pattern that matches none is a mistake.
  Status take_functions() {
    const std::string& pattern = rule_.pattern;
    if (std::ranges::none_of(mpi::kRegions, [&](const auto& f) { return names(rule_, f); })) {
      return pattern.starts_with(kGroup)
                 ? Problem{place() + "'" + pattern + "' is no group of MPI functions", kGroupHelp,
                           Exit::kUsage}
                 : Problem{place() + "'" + pattern + "' names no MPI function",
                           "capitals matter: MPI_Iprobe; " + std::string(kGroupHelp), Exit::kUsage};
    }
    const auto* const always = std::ranges::find(mpi::kRegions, pattern, &mpi::RegionInfo::name);
    if (rule_.exclude && always != mpi::kRegions.end() && mpi::is_always_recorded(pattern)) {
      return Problem{place() + pattern + " is always recorded",
                     "remove it from the rule; MPI_* leaves out all others", Exit::kUsage};
    }
    filter_.mpi_.push_back(rule_);
    return success();
  }

  // Takes a pattern of constructs of OpenMP. One that matches none is a mistake.
  Status take_constructs() {
    const std::string& pattern = rule_.pattern;
    if (std::ranges::none_of(openmp::kConstructWords, [&](const auto& words) {
          return matches(pattern, std::string(openmp::filter_name(words)));
        })) {
      return Problem{
          place() + "'" + std::string(kConstruct) + pattern + "' names no construct of OpenMP",
          "similar names: " + similar_constructs(pattern) + "; a blank in a name is written as ?",
          Exit::kUsage};
    }
    filter_.constructs_.push_back(rule_);
    return success();
  }

  Status begin(std::vector<Rule>& block, const char* end) {
    if (block_ != nullptr) return problem(std::string("a block begins before ") + end_);
    block_ = &block;
    block_line_ = line_;
    end_ = end;
    return success();
  }

  Status rule(bool exclude) {
    if (in_rule_ && !has_pattern_) return problem("the rule before this one has no pattern");
    in_rule_ = true;
    has_pattern_ = false;
    rule_ = {exclude, false, {}};
    return success();
  }

  Status end() {
    if (in_rule_ && !has_pattern_) return problem("the last rule has no pattern");
    block_ = nullptr;
    in_rule_ = false;
    return success();
  }

  [[nodiscard]] Problem problem(const std::string& what) const {
    return {place() + what, kHelp, Exit::kUsage};
  }

  [[nodiscard]] std::string place() const {
    return "filter " + where_ + ":" + std::to_string(line_) + ": ";
  }

  std::string where_;
  Filter filter_;
  std::size_t line_ = 0;
  std::vector<Rule>* block_ = nullptr;  // the open block
  std::size_t block_line_ = 0;
  std::string end_;  // the word that ends the block
  Rule rule_;
  bool in_rule_ = false;
  bool has_pattern_ = false;
};

Result<Filter> Filter::parse(std::string_view text, const std::string& where) {
  return Parser(where).parse(text);
}

bool Filter::excludes(const std::string& name, const std::string& mangled,
                      const std::string& file) const {
  bool excluded = false;
  for (const auto& rule : files_) {
    if (matches(rule.pattern, file)) excluded = rule.exclude;
  }
  if (excluded || regions_.empty()) return excluded;
  const std::string plain = without_arguments(name);
  for (const auto& rule : regions_) {
    const bool hit = rule.mangled ? matches(rule.pattern, mangled)
                                  : matches(rule.pattern, name) || matches(rule.pattern, plain);
    if (hit) excluded = rule.exclude;
  }
  return excluded;
}

Result<Filter> read_filter(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 16 << 20;  // enough for 100,000 rules
  const auto text = plain_content(path, kMostBytes);
  if (!text) {
    return Problem{"cannot read the filter file " + path + ": " + file_error(errno),
                   "LATECOMER_FILTER=FILE must name a file that exists on all hosts; unset it to "
                   "record everything",
                   Exit::kUsage};
  }
  return Filter::parse(*text, path);
}

// Static, since it is constant after its first use, which may be in a unit test without a tracer.
// Never destroyed, since regions of the program may begin until the process has ended.
const Result<Filter>& filter() {
  static const auto& the_filter = *new Result<Filter>([]() -> Result<Filter> {
    const std::string path = setting_text(SettingId::kFilter);
    if (path.empty()) return Filter();
    return read_filter(path);
  }());
  return the_filter;
}

}  // namespace latecomer::user
