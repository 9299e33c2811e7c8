// SPDX-License-Identifier: BSD-3-Clause
// Prints chosen metrics. Numbers are on the left, so that trees can grow to the right.
#include "analyzer/view/metrics/metric_table.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr double kLargestExact = 9007199254740992;  // 2^53

bool is_count(const std::string& unit) { return unit == "occ" || unit == "bytes" || unit == "#"; }

// "Late Sender (mpi_latesender): 5.000 seconds"
std::string heading(const MetricRows& rows) {
  std::string text;
  const std::string where = rows.call_path.empty() ? "" : " in call paths with " + rows.call_path;
  for (const auto& column : rows.columns) {
    text += column.display + " (" + column.metric +
            "): " + value_text(column.selected, column.unit, column.selected);
    const auto unit = unit_text(column.unit);
    if (!unit.empty()) text += " " + unit;
    text += where;
    if (!rows.call_path.empty() && column.adds_up && column.total != 0) {
      text += ", " + percent(column.selected, column.total, 1) + " % of all";
    }
    text += "\n";
  }
  if (rows.by == By::kMetric) text = "Metrics" + where + "\n";
  return text;
}

std::string last_heading(const MetricRows& rows) {
  switch (rows.by) {
    case By::kCallPath:
      return rows.is_tree ? "call path (with what it calls)" : "call path (by itself)";
    case By::kRank:
      return "rank";
    case By::kNode:
      return "node";
    case By::kMetahost:
      return "metahost";
    case By::kMetric:
      return rows.is_tree ? "metric (with its parts)" : "metric";
  }
  return "";
}

// The last cell of a row; `name` is the short name of its function.
std::string label(const MetricRows& rows, const MetricRows::Row& row, const std::string& name) {
  const std::string indent(2 * row.depth, ' ');
  switch (rows.by) {
    case By::kCallPath:
      return indent + name;
    case By::kRank:
      return row.names.back() + (row.place.empty() ? "" : "  " + row.place);
    case By::kNode:
    case By::kMetahost:
      return row.names.back() + (row.place.empty() ? "" : " (" + row.place + ")") + ", " +
             counted(row.ranks, "rank");
    case By::kMetric:
      return indent + row.names.back() + "  " + row.metric;
  }
  return "";
}

}  // namespace

std::string unit_text(const std::string& unit) {
  if (unit == "sec") return "seconds";
  return unit == "occ" || unit == "#" ? "" : unit;
}

std::string value_text(double value, const std::string& unit, double largest) {
  if (std::isnan(value)) return "-";
  const bool whole =
      is_count(unit) && value == std::floor(value) && std::abs(value) < kLargestExact;
  if (whole)
    return (value < 0 ? "-" : "") + with_commas(static_cast<std::uint64_t>(std::abs(value)));
  return fixed(value, decimals_for(std::abs(largest)));
}

std::string metric_text(const MetricRows& rows, const Colours& colours) {
  const bool by_metric = rows.by == By::kMetric;
  const std::size_t numbers = by_metric ? 1 : rows.columns.size();
  std::vector<double> largest(numbers);
  for (const auto& row : rows.rows) {
    for (std::size_t i = 0; i < numbers; ++i) {
      largest[i] = std::max(largest[i], std::abs(row.values[i]));
    }
  }
  // Shares mean nothing in a difference, whose whole may be negative, nor for ratios, which have no
  // whole.
  const bool has_whole =
      rows.rows.empty() ||
      std::ranges::any_of(rows.rows, [](const auto& row) { return row.whole != 0; }) ||
      std::ranges::all_of(rows.columns, [](const auto& column) { return column.adds_up; });
  const bool shares = has_whole && numbers == 1 &&
                      std::none_of(rows.rows.begin(), rows.rows.end(),
                                   [](const auto& row) { return row.whole < 0; });
  Table table(std::string(numbers, 'r') + (by_metric ? "l" : "") + (shares ? "r" : "") + "l");
  std::vector<std::string> head;
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto unit = by_metric ? "" : unit_text(rows.columns[i].unit);
    head.push_back(numbers > 1 ? rows.columns[i].metric : unit.empty() ? "value" : unit);
  }
  if (by_metric) head.emplace_back("unit");
  if (shares) head.emplace_back("%");
  head.push_back(last_heading(rows));
  table.add(std::move(head));
  constexpr std::size_t kNumberColumns = 24;
  // The label gets the columns that the numbers leave.
  const std::size_t left =
      text_width() - std::min(text_width() / 2, kNumberColumns + 12 * (numbers - 1));
  std::vector<std::string> labels;
  if (rows.by == By::kCallPath && !rows.is_tree) {
    std::vector<std::vector<std::string>> paths;
    for (const auto& row : rows.rows) paths.push_back(row.names);
    labels = short_call_paths(paths, std::vector<std::size_t>(paths.size(), left));
  } else {
    std::vector<std::string> names;
    for (const auto& row : rows.rows) names.push_back(row.names.back());
    names = distinct_names(names);
    for (std::size_t r = 0; r < names.size(); ++r) {
      labels.push_back(label(rows, rows.rows[r], names[r]));
    }
  }
  std::vector<Tone> tones;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto& row = rows.rows[r];
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < numbers; ++i) {
      cells.push_back(by_metric ? value_text(row.values[i], row.unit,
                                             row.whole == 0 ? row.values[i] : row.whole)
                                : value_text(row.values[i], rows.columns[i].unit, largest[i]));
    }
    if (by_metric) cells.push_back(row.unit);
    if (shares) cells.push_back(row.whole == 0 ? "" : percent(row.values[0], row.whole, 1));
    cells.push_back(labels[r]);
    table.add(std::move(cells));
    tones.push_back(shares ? Colours::of_share(row.values[0], row.whole) : Tone::kPlain);
  }
  std::string text = heading(rows) + "\n";
  std::string notes;
  for (const auto& note : rows.notes) {
    notes += wrapped(note, "       ", text_width()).replace(0, 7, "note:  ");
  }
  if (rows.rows.empty()) return text + "Nothing: no values other than zero.\n" + notes;
  std::string lines = table.text("  ");
  for (std::size_t line = 0; !lines.empty(); ++line) {
    const auto end = lines.find('\n');
    text +=
        colours.paint(lines.substr(0, end), line == 0 ? Tone::kHeading : tones[line - 1]) + "\n";
    lines.erase(0, end + 1);
  }
  if (rows.left_out > 0) text += "  and " + counted(rows.left_out, "smaller one") + "\n";
  return text + (notes.empty() ? "" : "\n") + notes;
}

nlohmann::ordered_json metric_json(const MetricRows& rows) {
  using Json = nlohmann::ordered_json;
  Json metrics = Json::array(), list = Json::array();
  for (const auto& column : rows.columns) {
    metrics.push_back({{"name", column.metric},
                       {"display_name", column.display},
                       {"unit", column.unit},
                       {"total", column.total},
                       {"selected", column.selected}});
    if (!column.adds_up) metrics.back()["adds_up"] = false;
  }
  for (const auto& row : rows.rows) {
    Json one;
    switch (rows.by) {
      case By::kCallPath:
        one["call_path"] = row.names;
        break;
      case By::kRank:
        one["rank"] = std::stoul(row.names.back());
        one["place"] = row.place;
        break;
      case By::kNode:
      case By::kMetahost:
        one[name(rows.by)] = row.names.back();
        one["ranks"] = row.ranks;
        break;
      case By::kMetric:
        one["metric"] = row.metric;
        one["display_names"] = row.names;
        one["unit"] = row.unit;
        break;
    }
    one["values"] = row.values;
    if (rows.is_tree) one["own"] = row.own;
    list.push_back(std::move(one));
  }
  Json json = {{"schema_version", 1},
               {"report", rows.file},
               {"by", name(rows.by)},
               {"call_path", rows.call_path.empty() ? Json(nullptr) : Json(rows.call_path)},
               {"metrics", metrics},
               {"rows", list},
               {"left_out", rows.left_out}};
  if (!rows.notes.empty()) json["notes"] = rows.notes;
  return json;
}

}  // namespace latecomer::view
