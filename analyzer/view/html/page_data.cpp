// SPDX-License-Identifier: BSD-3-Clause
// Collects the data of the page. Tables have one list per column, which is smaller, compressed or
// not.
#include "analyzer/view/html/page_data.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "analyzer/view/html/value_table.hpp"
#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "patterns/derived/drawings.hpp"
#include "patterns/drawings/drawing.hpp"
#include "patterns/metrics.hpp"

namespace latecomer::view {
namespace {

using Json = nlohmann::ordered_json;

// kNone becomes -1.
Json index_or_none(std::uint32_t index) { return index == report::kNone ? Json(-1) : Json(index); }

// True for a metric such as "metahost_pairs_latesender_0_1". It is one of many, and the text of its
// parent explains it.
bool is_pair(const std::string& name) {
  return name.starts_with("metahost_pairs_") && name.back() >= '0' && name.back() <= '9';
}

// Index of the picture of a metric. Many metrics share a picture, so each picture is stored once.
Json drawing_of(const std::string& metric, std::map<std::string, std::size_t>& pictures) {
  const auto drawing = patterns::drawing_of(metric);
  if (!drawing) return nullptr;
  return pictures.emplace(patterns::svg(*drawing), pictures.size()).first->second;
}

Json in_order(const std::map<std::string, std::size_t>& pictures) {
  Json list(pictures.size(), "");
  for (const auto& [picture, index] : pictures) list[index] = picture;
  return list;
}

std::string note_of_table(const report::Report& report, std::uint32_t metric, std::size_t columns) {
  std::string note =
      "Its values cannot be summed up: each is evaluated from all that is there together.";
  if (columns == 1 && places_of(report.definitions()) > 0) {
    note += " Those of processes need too much room here: latecomer show --metric " +
            report.definitions().metrics[metric].name + " --by rank shows them.";
  }
  if (auto gap = report.formula_gap(metric); !gap.empty()) {
    gap.front() = 'M';  // "metric x has no value ..."
    note += " " + gap + ".";
  }
  return note;
}

Json metrics(const report::Report& report, const PackedValues& values,
             std::map<std::string, std::size_t>& pictures) {
  const auto& d = report.definitions();
  const auto waits = wait_states_of(d);
  const std::set<std::uint32_t> wait_states(waits.begin(), waits.end());
  std::map<std::uint32_t, std::size_t> position;
  for (std::size_t i = 0; i < values.metrics.size(); ++i) position[values.metrics[i]] = i;
  Json list = Json::array();
  for (std::size_t i = 0; i < values.metrics.size(); ++i) {
    const auto m = values.metrics[i];
    const auto& metric = d.metrics[m];
    const auto& stored = report.stored(m);
    const auto parent = metric.parent.empty() ? report::kNone : report.find(metric.parent);
    Json entry = {{"name", metric.name},
                  {"display", metric.display},
                  {"parent", parent == report::kNone ? Json(-1) : Json(position.at(parent))},
                  {"unit", stored.unit},
                  {"description", metric.description},
                  {"total", values.totals[i]},
                  {"part", static_cast<bool>(values.parts[i])}};
    if (metric.unit == patterns::Unit::kSeconds) entry["seconds"] = true;
    if (wait_states.contains(m)) entry["wait"] = true;
    if (auto drawing = drawing_of(metric.name, pictures); !drawing.is_null()) {
      entry["drawing"] = std::move(drawing);
    }
    if (stored.hidden) entry["hidden"] = true;
    const auto& problem = report.why_no_values(m);
    if (!problem.empty()) {
      entry["derived"] = true;
      entry["note"] = "It has no values: " + problem + ".";
    } else if (!report.adds_up(m)) {
      entry["table"] = values.columns[i];
      entry["note"] = note_of_table(report, m, values.columns[i]);
    }
    const auto known = is_pair(metric.name) ? std::nullopt : patterns::find_metric(metric.name);
    if (known) {
      entry["explanation"] = known->explanation;
      entry["formula"] = known->formula;
      entry["advice"] = known->advice;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json program(const report::Definitions& d) {
  Json names = Json::array(), shorts = Json::array(), files = Json::array(), lines = Json::array(),
       paradigms = Json::array();
  std::vector<std::string> full;
  for (const auto& region : d.regions) full.push_back(region.name);
  for (auto& name : distinct_names(full)) shorts.push_back(std::move(name));
  for (const auto& region : d.regions) {
    names.push_back(region.name);
    files.push_back(region.file);
    lines.push_back(region.begin);
    paradigms.push_back(region.paradigm);
  }
  Json parents = Json::array(), regions = Json::array();
  for (const auto& path : d.call_paths) {
    parents.push_back(index_or_none(path.parent));
    regions.push_back(path.region);
  }
  return {{"regions",
           {{"name", names},
            {"short", shorts},
            {"file", files},
            {"line", lines},
            {"paradigm", paradigms}}},
          {"call_paths", {{"parent", parents}, {"region", regions}}}};
}

Json system(const report::Definitions& d) {
  Json node_names = Json::array(), classes = Json::array(), parents = Json::array();
  for (const auto& node : d.system) {
    node_names.push_back(node.name);
    classes.push_back(node.class_name);
    parents.push_back(index_or_none(node.parent));
  }
  Json process_names = Json::array(), ranks = Json::array(), nodes = Json::array();
  for (const auto& process : d.processes) {
    process_names.push_back(process.name);
    ranks.push_back(process.rank);
    nodes.push_back(process.node);
  }
  Json location_names = Json::array(), processes = Json::array();
  for (const auto& location : d.locations) {
    location_names.push_back(location.name);
    processes.push_back(location.process);
  }
  return {{"nodes", {{"name", node_names}, {"class", classes}, {"parent", parents}}},
          {"processes", {{"name", process_names}, {"rank", ranks}, {"node", nodes}}},
          {"locations", {{"name", location_names}, {"process", processes}}}};
}

// The statistics of the report, with call paths by index instead of id.
Json statistics(const report::Report& report) {
  std::map<std::uint64_t, std::size_t> index;
  const auto& ids = report.call_path_ids();
  for (std::size_t c = 0; c < ids.size(); ++c) index.emplace(ids[c], c);
  Json all = report.document()["statistics"];
  if (!all.is_object()) return Json::object();
  report::renumber_call_paths(all, [&](std::uint64_t id) -> std::optional<std::uint64_t> {
    const auto found = index.find(id);
    if (found == index.end()) return {};
    return found->second;
  });
  return all;
}

// Keeps the first elements of `list`.
void shorten(Json& list, std::size_t most) {
  while (list.size() > most) list.erase(list.size() - 1);
}

// The ranks that wait least, at most three, if ranks do not wait alike. In collective operations
// these are the ranks for which the others wait.
Json least_waiting(const Summary& s, const Summary::WaitState& wait,
                   const std::set<std::uint32_t>& all) {
  auto idle = all;
  for (const auto& share : wait.ranks) idle.erase(share.rank);
  Json least = Json::array();
  if (idle.size() > 3 || s.ranks < 2) return least;
  for (const auto rank : idle) least.push_back({{"rank", rank}, {"seconds", 0}});
  const double mean = wait.seconds / static_cast<double>(s.ranks);
  for (auto it = wait.ranks.rbegin(); it != wait.ranks.rend() && least.size() < 3; ++it) {
    if (it->seconds > 0.2 * mean) break;
    least.push_back({{"rank", it->rank}, {"seconds", it->seconds}});
  }
  return least;
}

// Index of a call path by its number in the report; -1: there is none.
Json index_of(const report::Report& report, const Json& number) {
  const auto& ids = report.call_path_ids();
  const auto found =
      number.is_number_unsigned() ? std::ranges::find(ids, number.get<std::uint64_t>()) : ids.end();
  return found == ids.end() ? Json(-1) : Json(found - ids.begin());
}

// The output of `latecomer show --json`, without long parts that the values contain anyway.
Json summary_of(const report::Report& report, const Summary& s) {
  const auto& d = report.definitions();
  std::set<std::uint32_t> all;
  for (const auto& process : d.processes) all.insert(process.rank);
  auto json = show_json(s);
  for (std::size_t w = 0; w < s.wait_states.size(); ++w) {
    auto& wait = json["wait_states"][w];
    wait["least"] = least_waiting(s, s.wait_states[w], all);
    shorten(wait["ranks"], 5);
    shorten(wait["call_paths"], 5);
  }
  for (const char* list : {"thread_waits", "thread_causes"}) {
    if (!json.contains(list)) continue;
    for (auto& one : json[list]) {
      for (const char* part : {"ranks", "threads", "call_paths"}) {
        if (one.contains(part)) shorten(one[part], 5);
      }
    }
  }
  if (json.contains("computation")) {
    for (const char* list : {"functions", "lines"}) {
      for (auto& row : json["computation"][list]) {
        if (!row.is_object()) continue;
        row.erase("locations");
        if (row.contains("call_path")) row["call_path"] = index_of(report, row["call_path"]);
      }
    }
  }
  json.erase("metahost_pairs");
  return json;
}

// The table of a metric, with places if it then has at most `most` values.
ValueTable table_within(report::Report& report, std::uint32_t metric, std::size_t most) {
  const auto& d = report.definitions();
  const std::size_t columns = 1 + places_of(d);
  // Half of the rows may be equal to others and are not stored.
  if (d.call_paths.size() * columns <= 2 * most) {
    auto table = value_table(report, metric, true);
    if (count_values(table.rows) <= most) return table;
  }
  return value_table(report, metric, false);
}

}  // namespace

Result<PackedValues> pack_values(report::Report& report, const std::vector<std::uint32_t>& metrics,
                                 std::size_t most_exact, std::size_t most_in_tables,
                                 const Progress& progress) {
  const auto& d = report.definitions();
  PackedValues out;
  out.metrics = metrics;
  // The values of a metric that is not chosen stay a part of its parent's own value.
  const auto all_parts = parts_of_parents(report);
  std::vector<bool> parts(d.metrics.size());
  for (const auto m : metrics) parts[m] = all_parts[m];
  for (const auto m : metrics) out.parts.push_back(parts[m]);
  std::vector<std::vector<OwnRow>> rows;
  std::size_t count = 0, in_tables = 0;
  // Progress counts two steps per metric: it is read once and packed once.
  const auto tell = [&](std::size_t done) {
    if (progress) progress(done, 2 * metrics.size());
  };
  for (const auto m : metrics) {
    tell(rows.size());
    if (!report.adds_up(m) && report.why_no_values(m).empty()) {
      auto table = table_within(report, m, most_in_tables - std::min(in_tables, most_in_tables));
      const double total = report.total(m);
      if (!report.why_no_values(m).empty()) table = {0, {}};  // the formula took too many steps
      in_tables += count_values(table.rows);
      count += count_values(table.rows);
      out.totals.push_back(table.columns > 0 ? total : 0);
      out.columns.push_back(table.columns);
      rows.push_back(std::move(table.rows));
      continue;
    }
    out.columns.push_back(0);
    auto own = own_values(report, m, parts);
    if (!own) return own.problem();
    count += count_values(*own);
    double total = 0;
    for (const auto& row : *own) {
      total = std::accumulate(row.values.begin(), row.values.end(), total);
    }
    out.totals.push_back(total);
    rows.push_back(std::move(*own));
  }
  out.precision = count > most_exact ? Precision::kRounded : Precision::kExact;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tell(rows.size() + i);
    const auto columns = out.columns[i] > 0 ? out.columns[i] : d.locations.size();
    const auto precision = repeats(rows[i]) ? Precision::kExact : out.precision;
    out.packs.push_back(rows[i].empty() ? std::vector<std::byte>{}
                                        : pack(rows[i], columns, precision));
    rows[i] = {};
  }
  return out;
}

nlohmann::ordered_json page_data(const report::Report& report, const Summary& summary,
                                 const PackedValues& values,
                                 const std::optional<ClockInfo>& clocks) {
  const auto& d = report.definitions();
  std::map<std::string, std::size_t> pictures;
  Json data = {{"version", 1},
               {"creator", report.creator()},
               {"exact", values.precision == Precision::kExact},
               {"summary", summary_of(report, summary)},
               {"metrics", metrics(report, values, pictures)},
               {"program", program(d)},
               {"system", system(d)}};
  data["drawings"] = in_order(pictures);
  const auto& document = report.document();
  if (document.contains("statistics")) data["statistics"] = statistics(report);
  // Keys whose values the page shows as they are, with their names there.
  for (const auto& [from, to] : {std::pair("time_slices", "slices"),
                                 {"messages", "messages"},
                                 {"collectives", "arrivals"}}) {
    if (document.contains(from)) data[to] = document[from];
  }
  // The values of a difference may be negative and are not compared with a whole.
  if (summary.operation == "diff") data["difference"] = true;
  if (clocks) data["offsets"] = clocks_json(*clocks);
  return data;
}

}  // namespace latecomer::view
