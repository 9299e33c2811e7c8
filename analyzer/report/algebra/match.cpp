// SPDX-License-Identifier: BSD-3-Clause
// Matches reports: adds one after the other to the union. Keys are names and positions in the
// trees.
#include "analyzer/report/algebra/match.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace latecomer::report {
namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // rank, thread

// Rank and thread of every column.
std::vector<Key> columns_of(const Definitions& d) {
  std::vector<Key> keys;
  for (const auto& location : d.locations) {
    keys.emplace_back(d.processes[location.process].rank, location.thread);
  }
  return keys;
}

class Matcher {
 public:
  Matcher(std::span<Report* const> reports, Common needed) : reports_(reports), needed_(needed) {
    out_.inputs.resize(reports.size());
  }

  Result<Matching> run() {
    for (const auto* report : reports_) find_unordinary(*report);
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const auto metrics = add_metrics(i);
      const auto call_paths = add_call_paths(i);
      const bool no_metric = metrics == 0 && needed_ == Common::kMetricsAndCallPaths;
      if (i > 0 && (no_metric || call_paths == 0)) {
        return Problem{reports_[0]->file() + " and " + reports_[i]->file() + " share no " +
                           (no_metric ? "metric" : "call path"),
                       no_metric ? "latecomer show --by metric REPORT shows what a report has"
                                 : "are they of the same program? latecomer show --by callpath "
                                   "REPORT shows what it called"};
      }
      if (i > 0) note_strangers(i, call_paths);
    }
    put_metrics_in_order();
    add_system();
    note_untold();
    return std::move(out_);
  }

 private:
  // Collects the metrics of a report that have no values, and those that cannot be summed.
  void find_unordinary(const Report& report) {
    const auto& metrics = report.definitions().metrics;
    for (std::uint32_t m = 0; m < metrics.size(); ++m) {
      if (report.stored(m).hidden) continue;
      if (!report.why_no_values(m).empty()) {
        failed_.insert(metrics[m].name);
      } else if (!report.adds_up(m)) {
        ratios_.insert(metrics[m].name);
      }
    }
  }

  // True if a metric is left out. If values are compared, it has to add up in all reports, because
  // a metric that a report lacks counts as zero there.
  bool leave_out(const Report& report, std::uint32_t m) {
    const auto& name = report.definitions().metrics[m].name;
    const bool everywhere = needed_ == Common::kMetricsAndCallPaths;
    const bool failed = everywhere ? failed_.contains(name) : !report.why_no_values(m).empty();
    const bool ratio = everywhere ? ratios_.contains(name) : !report.adds_up(m);
    if (!failed && !ratio && everywhere && !is_told(name)) {
      if (std::ranges::find(out_.untold, name) == out_.untold.end()) out_.untold.push_back(name);
      return true;
    }
    if (!failed && !ratio) return false;
    auto& left_out = failed ? out_.failed : out_.ratios;
    if (std::ranges::find(left_out, name) == left_out.end()) left_out.push_back(name);
    return true;
  }

  [[nodiscard]] bool is_told(const std::string& metric) const {
    return std::ranges::all_of(reports_,
                               [&](const Report* report) { return report->extras().told(metric); });
  }

  void note_untold() {
    if (out_.untold.empty()) return;
    std::string files;
    std::size_t count = 0;
    for (const auto* report : reports_) {
      if (!report->extras().only_watched()) continue;
      files += (files.empty() ? "" : " and ") + report->file();
      ++count;
    }
    out_.notes.push_back(
        files + (count == 1 ? " was" : " were") +
        " only watched; not compared, as it does not tell them: " + note_of(out_.untold, "", ""));
  }

  // Reports of two programs can be compared, but it may be a mistake: adds a note.
  void note_strangers(std::size_t i, std::size_t shared) {
    const auto &first = *reports_[0], &other = *reports_[i];
    const auto &name = first.extras().program.name, &other_name = other.extras().program.name;
    if (!name.empty() && !other_name.empty() && name != other_name) {
      out_.notes.push_back("two programs: " + first.file() + " is of " + name + ", " +
                           other.file() + " of " + other_name);
    }
    const auto paths = first.definitions().call_paths.size();
    const auto other_paths = other.definitions().call_paths.size();
    if (2 * shared < std::min(paths, other_paths)) {
      out_.notes.push_back("only " + std::to_string(shared) + " of " + std::to_string(paths) +
                           " call paths of " + first.file() + " are in " + other.file() +
                           ": the others are new, gone, or of another program");
    }
  }

  // Adds the metrics of report i to the union. Returns how many of them it already had.
  std::size_t add_metrics(std::size_t i) {
    const auto& report = *reports_[i];
    const auto& metrics = report.definitions().metrics;
    auto& map = out_.inputs[i].metrics;
    map.assign(metrics.size(), kNone);
    std::size_t known = 0;
    for (std::uint32_t m = 0; m < metrics.size(); ++m) {
      const auto& stored = report.stored(m);
      if (stored.hidden) continue;
      if (leave_out(report, m)) continue;
      const auto [at, is_new] = metrics_.emplace(
          metrics[m].name, static_cast<std::uint32_t>(out_.definitions.metrics.size()));
      if (is_new) {
        auto metric = metrics[m];
        metric.parent = kept_parent(report, metric.parent);
        out_.definitions.metrics.push_back(std::move(metric));
        out_.units.push_back(stored.unit);
      } else if (out_.units[at->second] != stored.unit) {
        out_.notes.push_back("metric " + metrics[m].name + " of " + report.file() +
                             " is left out: its unit is " + stored.unit + ", not " +
                             out_.units[at->second]);
        continue;
      } else if (std::find(map.begin(), map.end(), at->second) != map.end()) {
        continue;  // a second metric of that name in one report
      } else {
        ++known;
      }
      map[m] = at->second;
    }
    return known;
  }

  // The nearest ancestor that is not left out; "": none.
  std::string kept_parent(const Report& report, std::string parent) const {
    while (!parent.empty() && !metrics_.contains(parent)) {
      const auto m = report.find(parent);
      if (m == kNone) return "";
      parent = report.definitions().metrics[m].parent;
    }
    return parent;
  }

  // Sorts the metrics depth first, parents before children: metrics of later reports may belong in
  // the middle.
  void put_metrics_in_order() {
    auto& metrics = out_.definitions.metrics;
    std::vector<patterns::Metric> ordered;
    std::vector<std::string> units;
    std::vector<std::uint32_t> place(metrics.size(), kNone);
    std::vector<std::uint32_t> stack;
    std::map<std::string, std::vector<std::uint32_t>> children;
    for (auto m = static_cast<std::uint32_t>(metrics.size()); m-- > 0;) {
      children[metrics[m].parent].push_back(m);
    }
    if (const auto roots = children.find(""); roots != children.end()) stack = roots->second;
    while (!stack.empty()) {
      const auto m = stack.back();
      stack.pop_back();
      place[m] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(metrics[m]);
      units.push_back(out_.units[m]);
      const auto below = children.find(metrics[m].name);
      if (below == children.end() || metrics[m].name.empty()) continue;
      stack.insert(stack.end(), below->second.begin(), below->second.end());
    }
    metrics = std::move(ordered);
    out_.units = std::move(units);
    for (auto& input : out_.inputs) {
      for (auto& m : input.metrics) m = m == kNone ? kNone : place[m];
    }
  }

  std::uint32_t add_region(const Region& region) {
    const auto key = std::tuple(region.name, region.mangled, region.file, region.begin);
    const auto [at, is_new] =
        regions_.emplace(key, static_cast<std::uint32_t>(out_.definitions.regions.size()));
    if (is_new) out_.definitions.regions.push_back(region);
    return at->second;
  }

  static std::vector<std::uint32_t> roots(const Definitions& d) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      if (d.call_paths[c].parent == kNone) found.push_back(c);
    }
    return found;
  }

  static std::set<std::string> callees(const Definitions& d, std::uint32_t caller) {
    std::set<std::string> names;
    for (const auto& path : d.call_paths) {
      if (path.parent == caller) names.insert(d.regions[path.region].name);
    }
    return names;
  }

  // True if the only root of report i stands for the only root of the first report under another
  // name. It does if both call a function of the same name.
  [[nodiscard]] bool is_same_program(std::size_t i) const {
    const auto& a = reports_[0]->definitions();
    const auto& b = reports_[i]->definitions();
    const auto roots_a = roots(a), roots_b = roots(b);
    if (i == 0 || roots_a.size() != 1 || roots_b.size() != 1) return false;
    const auto names_a = callees(a, roots_a[0]), names_b = callees(b, roots_b[0]);
    return std::any_of(names_a.begin(), names_a.end(),
                       [&](const std::string& name) { return names_b.contains(name); });
  }

  // Adds the call paths of report i to the union. Returns how many of them it already had.
  std::size_t add_call_paths(std::size_t i) {
    const auto& d = reports_[i]->definitions();
    const bool same_program = is_same_program(i);
    const auto first_root =
        i == 0 ? std::vector<std::uint32_t>{} : roots(reports_[0]->definitions());
    auto& map = out_.inputs[i].call_paths;
    map.assign(d.call_paths.size(), kNone);
    // Number of siblings of that name seen so far below a call path of the union.
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> met;
    std::size_t known = 0;
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto& path = d.call_paths[c];
      const auto parent = path.parent == kNone ? kNone : map[path.parent];
      std::string name = d.regions[path.region].name;
      if (path.parent == kNone && same_program) {
        const auto& first = reports_[0]->definitions();
        name = first.regions[first.call_paths[first_root[0]].region].name;
      }
      const auto number = met[{parent, name}]++;
      const auto [at, is_new] =
          call_paths_.emplace(std::tuple(parent, name, number),
                              static_cast<std::uint32_t>(out_.definitions.call_paths.size()));
      if (is_new) {
        out_.definitions.call_paths.push_back({parent, add_region(d.regions[path.region])});
      } else {
        ++known;
      }
      map[c] = at->second;
    }
    return known;
  }

  // Maps columns by rank and thread. If these differ between the reports, all values go to one
  // column.
  void add_system() {
    const auto& first = reports_[0]->definitions();
    const auto wanted = columns_of(first);
    std::map<Key, std::uint32_t> column;
    for (std::uint32_t l = 0; l < wanted.size(); ++l) column.emplace(wanted[l], l);
    out_.collapsed = column.size() != wanted.size();  // a rank and thread that occurs twice
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      auto& map = out_.inputs[i].columns;
      const auto keys = columns_of(reports_[i]->definitions());
      out_.collapsed = out_.collapsed || keys.size() != wanted.size();
      std::set<std::uint32_t> taken;
      for (const auto& key : keys) {
        const auto at = column.find(key);
        if (at == column.end() || !taken.insert(at->second).second) out_.collapsed = true;
        map.push_back(at == column.end() ? kNone : at->second);
      }
    }
    auto& d = out_.definitions;
    if (!out_.collapsed || reports_.size() == 1) {
      if (out_.collapsed) {  // a single report matches itself, even with such numbers
        out_.collapsed = false;
        for (std::uint32_t l = 0; l < wanted.size(); ++l) out_.inputs[0].columns[l] = l;
      }
      d.system = first.system;
      d.processes = first.processes;
      d.locations = first.locations;
      return;
    }
    d.system = {{"all nodes", "machine", kNone}};
    d.processes = {{"all ranks", 0, 0}};
    d.locations = {{"all threads", 0, 0}};
    for (auto& input : out_.inputs) std::fill(input.columns.begin(), input.columns.end(), 0);
    std::string sizes;
    for (const auto* report : reports_) {
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(report->definitions().processes.size());
    }
    out_.notes.push_back("the reports have different processes or threads (ranks: " + sizes +
                         "): values are sums over all of them");
  }

  std::span<Report* const> reports_;
  Common needed_;
  Matching out_;
  std::map<std::string, std::uint32_t> metrics_;
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, std::uint32_t> regions_;
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, std::uint32_t> call_paths_;
  // Names of metrics that fail, or do not add up, in a report.
  std::set<std::string> failed_, ratios_;
};

}  // namespace

Result<Matching> match(std::span<Report* const> reports, Common needed) {
  return Matcher(reports, needed).run();
}

std::string note_of_ratios(const std::vector<std::string>& metrics) {
  return note_of(metrics, "cannot be summed up (a ratio or the like); left out",
                 "cannot be summed up (ratios and the like); left out");
}

std::string note_of_failed(const std::vector<std::string>& metrics) {
  return note_of(metrics, "cannot be evaluated; left out", "cannot be evaluated; left out");
}

std::string note_of(const std::vector<std::string>& metrics, const std::string& one,
                    const std::string& several) {
  constexpr std::size_t kMost = 3;
  std::string text = metrics.size() == 1 ? "metric " : "metrics ";
  for (std::size_t i = 0; i < metrics.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + metrics[i];
  }
  if (metrics.size() > kMost) text += " and " + std::to_string(metrics.size() - kMost) + " more";
  return text + " " + (metrics.size() == 1 ? one : several);
}

}  // namespace latecomer::report
