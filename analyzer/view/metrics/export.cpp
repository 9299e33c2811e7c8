// SPDX-License-Identifier: BSD-3-Clause
// Exports a report. Definitions are small and become one JSON value; values are written row by row.
#include "analyzer/view/metrics/export.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/not_a_formula.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"
#include "archive/version.hpp"

namespace latecomer::view {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Ids of the call paths: those of the file, which its statistics refer to. If the file has none,
// the numbers of the call paths.
std::vector<std::uint64_t> ids_of(const report::Report& report) {
  auto ids = report.call_path_ids();
  if (std::find(ids.begin(), ids.end(), report::kNone) != ids.end()) {
    std::iota(ids.begin(), ids.end(), 0U);
  }
  return ids;
}

// The metahost (outermost machine) and the node of a process; empty if there is none.
struct Place {
  std::string metahost, node;
};

Place place_of(const report::Definitions& d, const report::Process& process) {
  Place place;
  for (auto n = process.node; n < d.system.size(); n = d.system[n].parent) {
    if (n == process.node) place.node = d.system[n].name;
    if (d.system[n].class_name == "machine") place.metahost = d.system[n].name;
  }
  return place;
}

// The context of the numbers: tool, program, run, and whether the result is partial.
Json context(const report::Report& report) {
  const auto& d = report.definitions();
  const auto& extras = report.extras();
  return {{"report", report.file()},
          {"creator", report.creator()},
          {"written_by", "Latecomer " LATECOMER_VERSION},
          {"program", {{"name", extras.program.name}, {"arguments", extras.program.arguments}}},
          {"launch", extras.run.launch.empty() ? Json(nullptr) : Json(extras.run.launch)},
          {"ranks", d.processes.size()},
          {"locations", d.locations.size()},
          {"duration", extras.run.duration > 0 ? Json(extras.run.duration) : Json(nullptr)},
          {"partial", extras.partial}};
}

Json metrics(const report::Report& report) {
  const auto& d = report.definitions();
  Json list = Json::array();
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    const auto& metric = d.metrics[m];
    const auto& problem = report.why_no_values(m);
    Json one = {{"name", metric.name},
                {"display_name", metric.display},
                {"parent", metric.parent.empty() ? Json(nullptr) : Json(metric.parent)},
                {"unit", report.stored(m).unit},
                {"description", metric.description},
                {"has_values", problem.empty()}};
    if (!problem.empty()) {
      one["why_no_values"] = problem;
    } else if (!report.adds_up(m)) {
      one["adds_up"] = false;
      one["total"] = report.total(m);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json call_paths(const report::Definitions& d, const std::vector<std::uint64_t>& ids) {
  Json list = Json::array();
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto& region = d.regions[d.call_paths[c].region];
    const auto parent = d.call_paths[c].parent;
    list.push_back({{"id", ids[c]},
                    {"parent", parent == report::kNone ? Json(nullptr) : Json(ids[parent])},
                    {"names", call_path_names(d, c)},
                    {"file", region.file},
                    {"line", region.begin < 0 ? Json(nullptr) : Json(region.begin)},
                    {"paradigm", region.paradigm}});
  }
  return list;
}

Json locations(const report::Definitions& d) {
  Json list = Json::array();
  for (const auto& location : d.locations) {
    const auto& process = d.processes[location.process];
    auto [metahost, node] = place_of(d, process);
    list.push_back({{"metahost", metahost},
                    {"node", node},
                    {"process", process.name},
                    {"rank", process.rank},
                    {"thread", location.thread},
                    {"name", location.name}});
  }
  return list;
}

// Makes a text fit into a line that begins with #.
std::string one_line(const std::string& text) { return printable(text); }

// A field as RFC 4180 demands it: in quotes if it contains commas, quotes or line feeds. Fields
// with # are also quoted, so that readers that skip comments do not cut them.
std::string field(const std::string& name) {
  const std::string text = not_a_formula(name);
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Names from the root, separated by /. A / or \ within a name is written after a \.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += '/';
    for (const char c : name) {
      if (c == '/' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

std::vector<std::uint32_t> each_location(const report::Definitions& d) {
  std::vector<std::uint32_t> own(d.locations.size());
  std::iota(own.begin(), own.end(), 0U);
  return own;
}

// Reads all values, so that a damaged report is refused before anything is written.
Status read_all(report::Report& report) {
  for (std::uint32_t m = 0; m < report.definitions().metrics.size(); ++m) {
    if (const auto values = report.values(m); !values) return values.problem();
  }
  return success();
}

// Values of metrics that cannot be summed: in total and at each location.
void ratios_json(report::Report& report, const std::vector<std::uint64_t>& ids, std::ostream& out) {
  const auto& d = report.definitions();
  const auto number_or_null = [](double value) {
    return std::isnan(value) ? std::string("null") : shortest(value);
  };
  const std::vector<std::uint32_t> together(d.locations.size(), 0);
  const auto list = [&](const std::vector<double>& row) {
    std::string text;
    for (const double x : row) text += (text.empty() ? "" : ", ") + number_or_null(x);
    return "[" + text + "]";
  };
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
  };
  const char* separator = ",\n\"aggregates\": [\n";
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    if (report.adds_up(m) || !report.why_no_values(m).empty()) continue;
    auto all = report.aggregate(together, 1, report::formula::PlaceKind::kNode);
    auto each = report.aggregate(each_location(d), d.locations.size(),
                                 report::formula::PlaceKind::kLocation);
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto value = all.at(m, c, true), own = all.at(m, c, false);
      const auto row = each.at(m, c, true), own_row = each.at(m, c, false);
      const auto nothing = [](const std::vector<double>& values) {
        return std::ranges::all_of(values, [](double x) { return std::isnan(x) || x == 0; });
      };
      if (nothing(value) && nothing(row) && nothing(own) && nothing(own_row)) continue;
      out << separator << "{\"metric\": " << text_of(d.metrics[m].name)
          << ", \"call_path\": " << ids[c] << ", \"value\": " << number_or_null(value.front())
          << ", \"values\": " << list(row);
      if (!same(own, value) || !same(own_row, row)) {
        out << ", \"own\": " << number_or_null(own.front())
            << ", \"own_values\": " << list(own_row);
      }
      out << "}";
      separator = ",\n";
    }
  }
  // The separator is ",\n" if at least one item was written.
  if (separator[1] == '\n' && separator[2] == '\0') out << "\n]";
  if (const auto notes = report_notes(report); !notes.empty())
    out << ",\n\"notes\": " << text_of(notes);
}

}  // namespace

Status export_json(report::Report& report, std::ostream& out) {
  if (const auto status = can_name_all(report.definitions()); !status) return status;
  if (const auto status = read_all(report); !status) return status;
  const auto& d = report.definitions();
  const auto ids = ids_of(report);
  Json head = {{"schema_version", kExportVersion}, {"context", context(report)},
               {"metrics", metrics(report)},       {"call_paths", call_paths(d, ids)},
               {"locations", locations(d)},        {"extras", Json(report.document())}};
  std::string text = text_of(head);
  // The object stays open for the values.
  text.pop_back();
  out << text << ",\n\"values\": [";
  const char* separator = "\n";
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    const auto values = report.values(m);
    if (!values) return values.problem();
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      if (row.empty()) continue;
      out << separator << "{\"metric\": " << text_of(d.metrics[m].name)
          << ", \"call_path\": " << ids[c] << ", \"values\": [";
      for (std::size_t l = 0; l < row.size(); ++l) out << (l == 0 ? "" : ", ") << shortest(row[l]);
      out << "]}";
      separator = ",\n";
    }
  }
  out << "\n]";
  ratios_json(report, ids, out);
  out << "}\n";
  return success();
}

void export_csv_head(const report::Report& report, std::ostream& out) {
  out << "# latecomer csv, schema version " << kExportVersion << "\n";
  const Json about = context(report);
  for (const auto& [key, value] : about.items()) {
    out << "# " << key << ": " << one_line(text_of(value)) << "\n";
  }
}

Status export_csv(report::Report& report, std::ostream& out) {
  if (const auto status = read_all(report); !status) return status;
  const auto& d = report.definitions();
  export_csv_head(report, out);
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    if (report.adds_up(m) || !report.why_no_values(m).empty()) continue;
    out << "# cannot be summed up: " << one_line(d.metrics[m].name)
        << " (each line is evaluated by itself)\n";
  }
  out << "# values: exclusive along the call tree, with child metrics; zeros are left out\n"
         "# call_path: names from the root, separated by /; a / or \\ in a name stands after a "
         "\\\n"
         "metric,call_path,metahost,node,rank,thread,value,unit\n";
  std::vector<std::string> places;
  for (const auto& location : d.locations) {
    const auto& process = d.processes[location.process];
    const auto [metahost, node] = place_of(d, process);
    places.push_back(field(metahost) + "," + field(node) + "," + std::to_string(process.rank) +
                     "," + std::to_string(location.thread));
  }
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    const auto values = report.values(m);
    if (!values) return values.problem();
    const std::string name = field(d.metrics[m].name), unit = field(report.stored(m).unit);
    const bool sums = report.adds_up(m) || !report.why_no_values(m).empty();
    auto each = report.aggregate(each_location(d), d.locations.size(),
                                 report::formula::PlaceKind::kLocation);
    std::vector<double> evaluated;
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      if (!sums) evaluated = each.at(m, c, false);
      const auto row = sums ? (*values)->row(c) : std::span<const double>(evaluated);
      std::string path;
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (row[l] == 0 || std::isnan(row[l])) continue;
        if (path.empty()) path = field(joined(call_path_names(d, c)));
        out << name << ',' << path << ',' << places[l] << ',' << shortest(row[l]) << ',' << unit
            << '\n';
      }
    }
  }
  for (const auto& note : report_notes(report)) out << "# note: " << one_line(note) << "\n";
  return success();
}

}  // namespace latecomer::view
