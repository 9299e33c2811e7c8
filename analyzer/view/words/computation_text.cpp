// SPDX-License-Identifier: BSD-3-Clause
// Functions and lines with shares of the time, and the error that the number of samples leaves.
#include "analyzer/view/words/computation_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/extras/read_json.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

using report::Computation;

constexpr double kWorthALine = 0.005;  // smallest share of the time that is worth a line
constexpr double kSmallError = 0.1;    // relative error that the summary does not say

std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// "heat2d.c:88", "heat2d.c", or nothing.
std::string place_text(const std::string& file, std::uint32_t line) {
  if (file.empty()) return "";
  return file_name(file) + (line == 0 ? "" : ":" + std::to_string(line));
}

// "one per 10.00 ms, in long stretches without MPI one per 100.0 ms": there the tracer goes on at a
// tenth of the rate or less. Other periods are those of timers: "one per 10.00 ms to 40.00 ms".
std::string periods_text(const Computation& c) {
  constexpr double kSlower = 9.99;  // least factor from one rate to the next
  if (c.periods.empty()) return "";
  const auto& all = c.periods;
  const std::string text = ", one per " + duration_text(all.front());
  if (all.size() == 1) return text;
  const std::string last = duration_text(all.back());
  const bool slower = std::ranges::adjacent_find(all, [](double one, double next) {
                        return next < kSlower * one;
                      }) == all.end();
  if (!slower) return text + " to " + last;
  return text + ", in long stretches without MPI one per " +
         (all.size() > 2 ? duration_text(all[1]) + " to " : "") + last;
}

std::string samples_text(const Computation& c) {
  std::string text = counted(c.samples, "sample") + periods_text(c);
  if (c.lost > 0) text += "; " + with_commas(c.lost) + " more lost";
  return text;
}

// Parts in which the program itself did not run, if they are so many seconds: a line each.
std::vector<std::string> no_computation_texts(const Computation& c, double least, double time) {
  const auto& parts = c.not_computing;
  std::vector<std::string> lines;
  const auto add = [&](double seconds, const std::string& what, const char* which) {
    if (seconds <= 0 || seconds < least) return;
    const std::string share = time > 0 ? percent(seconds, time, 0) + " % " : "";
    lines.push_back(share + what + ", " + duration_text(seconds) + ": " + which);
  };
  add(parts.preempted, "without a core", "something else ran there");
  add(parts.blocked, "blocked",
      "asleep, or waiting for a file, a lock, a socket, a thread or a child");
  add(parts.kernel,
      c.kernel_is_sampled ? "in the kernel, as a part of these functions" : "in the kernel",
      "system calls and page faults");
  add(parts.off_processor, "not on a core", "asleep, waiting for files or locks, or no free core");
  return lines;
}

// The standard error of `seconds` in the unit of the text, if it is large: "± 2 %".
std::string error_text(double seconds, double time, double error) {
  if (error <= kSmallError * seconds) return "";
  return "± " + percent(error, time, error < 0.01 * time ? 1 : 0) + " %";
}

// The line of a function with most of its time, over all call paths.
struct HottestLine {
  std::string place;
  double seconds = 0;
};
HottestLine hottest_line(const Computation& c, const Computation::Function& function) {
  std::map<std::string, double> lines;
  for (const auto& line : c.lines) {
    // Functions of other files may have the same name.
    if (line.function == function.name && line.file == function.file && line.line != 0) {
      lines[place_text(line.file, line.line)] += line.seconds;
    }
  }
  HottestLine hottest;
  for (const auto& [place, seconds] : lines) {
    if (seconds > hottest.seconds) hottest = {place, seconds};
  }
  return hottest;
}

// "relax (heat2d.c:88)"; "relax (heat2d.c, 21 % at line 88)" if other lines have much of its time
std::string function_text(const Computation& c, const Computation::Function& function,
                          double time) {
  constexpr double kNearlyAll = 0.95;
  const std::string name = short_name(function.name);
  const auto hottest = hottest_line(c, function);
  if (hottest.place.empty()) {
    return function.file.empty() ? name : name + " (" + file_name(function.file) + ")";
  }
  if (hottest.seconds >= kNearlyAll * function.self) return name + " (" + hottest.place + ")";
  const auto colon = hottest.place.rfind(':');
  if (percent(hottest.seconds, time, 0) == "0") {
    return name + " (" + hottest.place.substr(0, colon) + ")";
  }
  return name + " (" + hottest.place.substr(0, colon) + ", " + percent(hottest.seconds, time, 0) +
         " % at line " + hottest.place.substr(colon + 1) + ")";
}

// "1: 62%, 0: 38%": the ranks with most of the time, at most `most` of them.
std::string most_text(const report::Definitions& d, const std::vector<double>& locations,
                      std::size_t most) {
  std::map<std::uint32_t, double> ranks;
  double all = 0;
  for (std::size_t l = 0; l < std::min(locations.size(), d.locations.size()); ++l) {
    if (locations[l] > 0) ranks[d.processes[d.locations[l].process].rank] += locations[l];
    all += locations[l];
  }
  std::vector<std::pair<std::uint32_t, double>> sorted(ranks.begin(), ranks.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& one) { return one.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sorted[i].first) + ": " +
            percent(sorted[i].second, all, 0) + "%";
  }
  return text;
}

// Relative standard error: "5 %".
std::string relative_error(double error, double seconds) {
  if (!(error > 0) || !(seconds > 0)) return "";
  return percent(error, seconds, 0) + " %";
}

// The first table for which the text fits into the terminal: `make(columns, ranks)` has so many
// columns for names, and so many ranks. The narrowest one if none does.
template <typename Make>
std::string fitting(Make&& make) {
  std::string text;
  for (const std::size_t ranks : {3, 2, 1, 0}) {
    for (std::size_t columns = 60; columns >= (ranks > 0 ? 30 : 16); --columns) {
      text = make(columns, ranks);
      std::size_t widest = 0;
      for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        widest = std::max(widest, width(std::string_view(text).substr(begin, end - begin)));
        begin = end + 1;
      }
      if (widest <= text_width()) return text;
    }
  }
  return text;
}

std::string functions_table(const report::Definitions& d, const Computation& c, std::size_t top,
                            std::size_t columns, std::size_t ranks) {
  const int decimals = decimals_for(c.seconds);
  Table table("rrrrrll");
  table.add({"self s", "%", "inclusive s", "samples", "error", "function",
             ranks > 0 ? "ranks most" : ""});
  for (std::size_t i = 0; i < std::min(top, c.functions.size()); ++i) {
    const auto& f = c.functions[i];
    const auto file = file_name(f.file);
    table.add({fixed(f.self, decimals), percent(f.self, c.seconds, 1), fixed(f.inclusive, decimals),
               with_commas(f.samples), relative_error(f.error, f.self),
               cut(short_name(f.name) + (file.empty() ? "" : " (" + file + ")"), columns),
               most_text(d, f.locations, ranks)});
  }
  return table.text("  ");
}

// `paths`: the call paths of the first lines.
std::string lines_table(const report::Definitions& d, const Computation& c,
                        const std::vector<std::vector<std::string>>& paths, std::size_t columns,
                        std::size_t ranks) {
  const int decimals = decimals_for(c.seconds);
  Table table("rrrrlll");
  table.add(
      {"seconds", "%", "samples", "error", "line", "call path", ranks > 0 ? "ranks most" : ""});
  const auto shown = short_call_paths(paths, std::vector<std::size_t>(paths.size(), columns));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& line = c.lines[i];
    const auto place = place_text(line.file, line.line);
    table.add({fixed(line.seconds, decimals), percent(line.seconds, c.seconds, 1),
               with_commas(line.samples), relative_error(line.error, line.seconds),
               cut(place.empty() ? short_name(line.function) : place, 30), shown[i],
               most_text(d, line.locations, ranks)});
  }
  return table.text("  ");
}

Result<const Computation*> computation_of(const report::Report& report) {
  const auto& results = report.extras().results;
  if (results && results->computation) return &*results->computation;
  if (const auto& operation = report.extras().origin.name; !operation.empty()) {
    return Problem{report.file() + " is a result of latecomer " + operation +
                       ", which leaves out samples of the computation",
                   "look at the reports that it was made from"};
  }
  return Problem{report.file() + " has no samples of the computation",
                 "record the program again with samples, and analyze that trace"};
}

}  // namespace

std::string computation_summary(const Computation& c, double time, std::size_t rows) {
  if (c.samples == 0 || !(time > 0)) return "";
  std::string text = "Computation: " + percent(c.seconds, time, 0) + " % of the time, " +
                     duration_text(c.seconds) + " (" + samples_text(c) + ")\n";
  Table table("rll");
  for (const auto& function : c.functions) {
    if (table.rows() == rows || function.self < kWorthALine * time) break;
    table.add({percent(function.self, time, 0) + " %",
               error_text(function.self, time, function.error), function_text(c, function, time)});
  }
  std::string off;
  for (const auto& line : no_computation_texts(c, kWorthALine * time, time)) {
    off += wrapped(line, "  ", text_width());
  }
  return wrapped(text, "", text_width()) + table.text("  ") + off;
}

Result<std::string> computation_text(const report::Report& report, std::size_t top) {
  const auto found = computation_of(report);
  if (!found) return found.problem();
  const Computation& c = **found;
  const auto& d = report.definitions();
  std::string text = "Computation: " + duration_text(c.seconds) + " (" + samples_text(c) +
                     "; they stand for " + duration_text(c.processor_seconds) +
                     " of processor time)\n";
  for (const auto& line : no_computation_texts(c, 0, 0)) text += line + "\n";
  if (c.unsampled > 0) {
    text += "not sampled: " + duration_text(c.unsampled) +
            " at call paths without any sample, or outside of all functions, as before MPI_Init\n";
  }
  if (c.samples == 0) return text;
  text += "\n" + fitting([&](std::size_t columns, std::size_t ranks) {
            return functions_table(d, c, top, columns, ranks);
          });

  std::vector<std::vector<std::string>> paths;
  for (std::size_t i = 0; i < std::min(top, c.lines.size()); ++i) {
    auto& path = paths.emplace_back();
    const auto found_path = std::ranges::find(report.call_path_ids(), c.lines[i].call_path);
    if (found_path == report.call_path_ids().end()) continue;
    path =
        call_path_names(d, static_cast<std::uint32_t>(found_path - report.call_path_ids().begin()));
    if (path.size() > 1) path.erase(path.begin());  // the program
  }
  text += "\n" + fitting([&](std::size_t columns, std::size_t ranks) {
            return lines_table(d, c, paths, columns, ranks);
          });
  if (c.lines.size() > paths.size() || c.other_lines > 0) {
    double rest = c.other_lines;
    for (std::size_t i = paths.size(); i < c.lines.size(); ++i) rest += c.lines[i].seconds;
    text += "  and " + duration_text(rest) + " in other lines\n";
  }
  return text;
}

Result<nlohmann::ordered_json> computation_json(const report::Report& report, std::size_t top) {
  const auto found = computation_of(report);
  if (!found) return found.problem();
  auto section = report::member(report.document(), "computation");
  for (const char* list : {"functions", "lines"}) {
    auto& rows = section[list];
    if (rows.is_array() && rows.size() > top) {
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
    }
  }
  return nlohmann::ordered_json{
      {"schema_version", 1}, {"report", report.file()}, {"computation", section}};
}

}  // namespace latecomer::view
