// SPDX-License-Identifier: BSD-3-Clause
// Selects functions for a filter. Each visit of a function is two events, and each event costs the
// mean of all events of functions.
#include "analyzer/view/summary/costly_functions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <span>

#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"

namespace latecomer::view {
namespace {

constexpr double kEnough = 0.02;   // accepted cost of measuring, as a share of the time
constexpr double kLittle = 0.001;  // negligible cost of a function, as a share of the time

// Words that have a meaning for filters at the begin of a pattern.
constexpr const char* kWordsOfFilters[] = {"MPI", "EXCLUDE", "INCLUDE", "MANGLED", "SCOREP_"};

bool is_plain(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || letter == '_' || letter == ':' || letter == '.' || byte >= 0x80;
}

// The name as a pattern that matches only itself.
std::string literally(const std::string& name) {
  const bool special = std::ranges::any_of(
      kWordsOfFilters, [&name](const char* word) { return name.starts_with(word); });
  std::string pattern = special ? "\\" : "";
  for (const char letter : name) {
    if (!is_plain(letter)) pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

// A pattern for the region. Uses the linker's name if the other one contains more than letters:
// arguments, templates.
std::string pattern_of(const report::Region& region) {
  const bool simple = std::ranges::all_of(region.name, is_plain);
  if (!simple && !region.mangled.empty() && region.mangled != region.name) {
    return "MANGLED " + literally(region.mangled);
  }
  return literally(region.name);
}

// True if a pattern can match the function. Control characters in names are written as in C, so a
// name with a backslash may stand for another one. A function of which only the address is known
// has no name.
bool can_be_named(const report::Region& region) {
  return !region.name.empty() && region.name.find('\\') == std::string::npos &&
         region.name.find("+0x") == std::string::npos;
}

bool is_of_program(const report::Region& region) {
  return region.paradigm == "compiler" || region.paradigm == "user";
}

double sum(std::span<const double> row) { return std::accumulate(row.begin(), row.end(), 0.0); }

}  // namespace

double CostlyFunctions::saved() const {
  return std::accumulate(left_out.begin(), left_out.end(), 0.0,
                         [](double all, const CostlyFunction& f) { return all + f.cost; });
}

Result<CostlyFunctions> costly_functions(report::Report& report) {
  const auto& d = report.definitions();
  const auto& results = report.extras().results;
  const auto told = (results ? results->measurement : std::nullopt).value_or(report::Measurement());
  CostlyFunctions out;
  out.seconds = told.seconds;
  out.events = told.events;
  if (!(out.seconds > 0) || !(told.fraction > 0)) {
    return Problem{report.file() + " does not tell what measuring cost",
                   "analyze the trace of a run under scan again: scan -a EXPERIMENT"};
  }
  out.time = out.seconds / told.fraction;
  const double event = told.region_events ? told.region_events->seconds /
                                                static_cast<double>(told.region_events->count)
                                          : told.seconds_per_event;

  const auto visits = report.values(report.find("visits"));
  if (!visits) return visits.problem();
  const auto time = report.values(report.find("time"));
  if (!time) return time.problem();
  std::set<std::uint32_t> roots;
  for (const auto root : report.roots()) roots.insert(d.call_paths[root].region);
  std::map<std::string, CostlyFunction> by_pattern;
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto& region = d.regions[d.call_paths[c].region];
    if (!is_of_program(region) || !can_be_named(region) || roots.contains(d.call_paths[c].region)) {
      continue;
    }
    const auto pattern = pattern_of(region);
    auto& function = by_pattern[pattern];
    function.name = region.name;
    function.pattern = pattern;
    function.visits += sum((*visits)->row(c));
    function.own += sum((*time)->row(c));
  }
  std::vector<CostlyFunction> all;
  for (auto& [pattern, function] : by_pattern) {
    function.cost = 2 * function.visits * event;
    all.push_back(std::move(function));
  }
  std::ranges::stable_sort(all, std::greater{}, &CostlyFunction::cost);
  double rest = out.seconds;
  for (auto& function : all) {
    if (rest <= kEnough * out.time || function.cost < kLittle * out.time) break;
    rest -= function.cost;
    out.left_out.push_back(std::move(function));
  }
  return out;
}

std::string filter_text(const CostlyFunctions& functions) {
  if (functions.left_out.empty()) return "# No function that was recorded costs much.\n";
  std::string text = "# Leaves out the functions that cost most to record: about " +
                     duration_text(functions.saved()) + " of " + duration_text(functions.seconds) +
                     " that measuring took.\n"
                     "# Their time counts as that of the functions that call them. Use it with "
                     "scan -f, or LATECOMER_FILTER.\n"
                     "SCOREP_REGION_NAMES_BEGIN\n";
  for (const auto& function : functions.left_out) {
    text += "  EXCLUDE " + function.pattern + "  # " +
            with_commas(static_cast<std::uint64_t>(function.visits)) + " visits, " +
            duration_text(function.cost) + "; its own time " + duration_text(function.own);
    if (function.pattern.starts_with("MANGLED ")) text += "; " + printable(function.name);
    text += '\n';
  }
  return text + "SCOREP_REGION_NAMES_END\n";
}

std::string costly_functions_text(const CostlyFunctions& functions) {
  Table table("lrrr");
  table.add({"function", "visits", "cost of recording", "own time"});
  for (const auto& function : functions.left_out) {
    table.add({printable(function.name), with_commas(static_cast<std::uint64_t>(function.visits)),
               duration_text(function.cost), duration_text(function.own)});
  }
  return table.text("  ");
}

nlohmann::ordered_json costly_functions_json(const CostlyFunctions& functions) {
  nlohmann::ordered_json json = {{"events", functions.events},
                                 {"seconds", functions.seconds},
                                 {"time", functions.time},
                                 {"saved", functions.saved()},
                                 {"functions", nlohmann::ordered_json::array()}};
  for (const auto& function : functions.left_out) {
    json["functions"].push_back({{"name", function.name},
                                 {"pattern", function.pattern},
                                 {"visits", function.visits},
                                 {"seconds", function.cost},
                                 {"own_seconds", function.own}});
  }
  return json;
}

}  // namespace latecomer::view
