// SPDX-License-Identifier: BSD-3-Clause
// Prints the time slices of a report.
#include "analyzer/view/metrics/time_rows.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/not_a_formula.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kLines = 20, kColumns = 4, kBar = 40;

TimeRows::Series series_of(const report::TimeSlices::Metahosts& metahosts, std::size_t slices) {
  TimeRows::Series one;
  one.sum.assign(slices, 0);
  one.metahosts = metahosts;
  for (const auto& list : metahosts) {
    for (std::size_t i = 0; i < slices; ++i) one.sum[i] += list[i];
  }
  one.total = std::accumulate(one.sum.begin(), one.sum.end(), 0.0);
  return one;
}

struct Line {
  double from = 0, to = 0;     // seconds
  std::vector<double> values;  // a value of each series that is shown
};

std::vector<Line> lines_of(const TimeRows& rows, std::size_t columns) {
  // Slices are combined into at most kLines lines, unless the largest ones are wanted.
  const std::size_t count = rows.top ? rows.slices : std::min(kLines, rows.slices);
  std::vector<Line> lines(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = i * rows.slices / count, last = (i + 1) * rows.slices / count;
    lines[i] = {
        static_cast<double>(first) * rows.seconds, static_cast<double>(last) * rows.seconds, {}};
    for (std::size_t c = 0; c < columns; ++c) {
      const auto begin = rows.series[c].sum.begin();
      lines[i].values.push_back(std::accumulate(begin + static_cast<std::ptrdiff_t>(first),
                                                begin + static_cast<std::ptrdiff_t>(last), 0.0));
    }
  }
  if (!rows.top) return lines;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.values[0] > b.values[0]; });
  lines.resize(std::min(*rows.top, lines.size()));
  return lines;
}

}  // namespace

Result<TimeRows> time_rows(const report::Report& report, const std::vector<std::string>& metrics,
                           std::optional<std::size_t> top) {
  const auto& d = report.definitions();
  const Problem none{report.file() + " has no values over time",
                     "reports of latecomer-analyzer have them; analyze the trace again"};
  if (report.extras().only_watched()) {
    return Problem{report.file() + " has no values over time: the run was only watched",
                   "scan -t --watch records a trace, too"};
  }
  const auto& results = report.extras().results;
  if (!results || !results->time_slices) return none;
  const auto& slices = *results->time_slices;
  TimeRows rows;
  rows.file = report.file();
  rows.top = top;
  rows.locations = d.locations.size();
  rows.metahosts = report.extras().run.metahosts;
  rows.slices = slices.count;
  rows.seconds = slices.seconds;
  const auto add = [&](const patterns::Metric& metric) {
    const auto found = slices.metrics.find(metric.name);
    if (found == slices.metrics.end()) return false;
    auto& series = rows.series.emplace_back(series_of(found->second, rows.slices));
    series.metric = metric.name;
    series.display = metric.display;
    return true;
  };
  if (metrics.empty()) {
    for (const auto& metric : d.metrics) add(metric);
    std::stable_sort(rows.series.begin(), rows.series.end(),
                     [](const auto& a, const auto& b) { return a.total > b.total; });
    return rows;
  }
  for (const auto& name : metrics) {
    const auto metric = find_metric(d.metrics, name, "latecomer show --metric");
    if (!metric) {
      return Problem{
          metric.problem().what,
          "latecomer show --by time " + shell_word(rows.file) + " shows those that have values",
          Exit::kUsage};
    }
    if (add(*metric)) continue;
    std::string known;
    for (const auto& [one, lists] : slices.metrics) known += (known.empty() ? "" : ", ") + one;
    return Problem{
        "metric " + metric->name + " has no values over time in the report",
        known.empty() ? "no wait state has any: no process waited" : "those have: " + known,
        Exit::kUsage};
  }
  return rows;
}

std::string time_text(const TimeRows& rows, const Colours& colours) {
  if (rows.series.empty()) return "No process waited for another one.\n";
  const std::size_t columns = std::min(kColumns, rows.series.size());
  const auto lines = lines_of(rows, columns);
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto& one = rows.series[c];
    text += one.display + " (" + one.metric + "): " + value_text(one.total, "sec", one.total) +
            " seconds\n";
  }
  if (rows.series.size() > columns) {
    text += "and " + counted(rows.series.size() - columns, "smaller one") +
            ": name them with --metric\n";
  }
  text += "\n";
  const bool alone = columns == 1;
  Table table("rr" + std::string(columns, 'r') + (alone ? "rl" : ""));
  std::vector<std::string> head = {"from", "to"};
  for (std::size_t c = 0; c < columns; ++c) {
    head.push_back(alone ? "seconds" : rows.series[c].metric);
  }
  if (alone) head.insert(head.end(), {"%", ""});
  table.add(std::move(head));
  std::vector<double> largest(columns);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < columns; ++c) largest[c] = std::max(largest[c], line.values[c]);
  }
  const int places = decimals_for(static_cast<double>(rows.slices) * rows.seconds);
  std::vector<Tone> tones;
  for (const auto& line : lines) {
    std::vector<std::string> cells = {fixed(line.from, places), fixed(line.to, places)};
    for (std::size_t c = 0; c < columns; ++c) {
      cells.push_back(value_text(line.values[c], "sec", largest[c]));
    }
    // 100 % is the time of all locations during this line.
    const double whole = (line.to - line.from) * static_cast<double>(rows.locations);
    if (alone) {
      cells.push_back(percent(line.values[0], whole, 1));
      const double part = largest[0] > 0 ? line.values[0] / largest[0] : 0;
      cells.push_back(std::string(
          static_cast<std::size_t>(std::lround(part * static_cast<double>(kBar))), '#'));
    }
    table.add(std::move(cells));
    tones.push_back(alone ? Colours::of_share(line.values[0], whole) : Tone::kPlain);
  }
  std::string body = table.text("  ");
  for (std::size_t line = 0; !body.empty(); ++line) {
    const auto end = body.find('\n');
    text += colours.paint(body.substr(0, end), line == 0 ? Tone::kHeading : tones[line - 1]) + "\n";
    body.erase(0, end + 1);
  }
  return text + "\nTimes since the begin of the run in seconds" +
         (alone ? "; % of the time of all processes then.\n" : ".\n");
}

nlohmann::ordered_json time_json(const TimeRows& rows) {
  using Json = nlohmann::ordered_json;
  Json metrics = Json::array();
  for (const auto& one : rows.series) {
    metrics.push_back({{"name", one.metric},
                       {"display_name", one.display},
                       {"unit", "sec"},
                       {"total", one.total},
                       {"values", one.metahosts}});
  }
  return {{"schema_version", 1},   {"report", rows.file},     {"by", "time"},
          {"slices", rows.slices}, {"seconds", rows.seconds}, {"metahosts", rows.metahosts},
          {"metrics", metrics}};
}

void time_csv(const TimeRows& rows, std::ostream& out) {
  const auto name_of = [&](std::size_t metahost) {
    auto name = not_a_formula(metahost < rows.metahosts.size() ? rows.metahosts[metahost] : "");
    for (auto at = name.find('"'); at != std::string::npos; at = name.find('"', at + 2)) {
      name.insert(at, 1, '"');
    }
    return "\"" + name + "\"";
  };
  out << "metric,metahost,from,to,value,unit\n";
  for (const auto& one : rows.series) {
    for (std::size_t h = 0; h < one.metahosts.size(); ++h) {
      for (std::size_t s = 0; s < rows.slices; ++s) {
        if (one.metahosts[h][s] == 0) continue;
        out << one.metric << ',' << name_of(h) << ','
            << shortest(static_cast<double>(s) * rows.seconds) << ','
            << shortest(static_cast<double>(s + 1) * rows.seconds) << ','
            << shortest(one.metahosts[h][s]) << ",sec\n";
      }
    }
  }
}

}  // namespace latecomer::view
