// SPDX-License-Identifier: BSD-3-Clause
// Sums the rows of a report: over locations for call paths, over call paths for places.
#include "analyzer/view/metrics/metric_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analyzer/view/metrics/call_path_pattern.hpp"
#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

constexpr std::array<std::pair<By, const char*>, 5> kNames = {{{By::kCallPath, "callpath"},
                                                               {By::kRank, "rank"},
                                                               {By::kNode, "node"},
                                                               {By::kMetahost, "metahost"},
                                                               {By::kMetric, "metric"}}};

using Row = MetricRows::Row;

class Chooser {
 public:
  Chooser(report::Report& report, const Choice& choice)
      : report_(report), d_(report.definitions()), choice_(choice) {}

  Result<MetricRows> run() {
    out_.file = report_.file();
    out_.by = choice_.by;
    out_.call_path = choice_.call_path;
    chosen_.assign(d_.call_paths.size(), true);
    if (!choice_.call_path.empty()) {
      auto chosen = at_or_below(d_, choice_.call_path);
      if (!chosen) return chosen.problem();
      chosen_ = std::move(*chosen);
    }
    if (const auto status = find_metrics(); !status) return status.problem();
    const auto status = choice_.by == By::kMetric     ? by_metric()
                        : choice_.by == By::kCallPath ? by_call_path()
                                                      : by_place();
    if (!status) return status.problem();
    for (auto& note : report_notes(report_)) out_.notes.push_back(std::move(note));
    cut_to_top();
    return std::move(out_);
  }

 private:
  // Finds the metrics that were named; if there are none, the metric time.
  Status find_metrics() {
    for (const auto& name : choice_.metrics) {
      const auto* number = report_.find(name) == report::kNone ? find_run_number(name) : nullptr;
      if (number != nullptr) {
        if (const auto status = add_run_number(*number); !status) return status;
        continue;
      }
      const auto found = find_metric(d_.metrics, name, "latecomer show --metric");
      if (!found) {
        return Problem{found.problem().what,
                       "latecomer show --by metric " + shell_word(report_.file()) +
                           " shows those that have values",
                       Exit::kUsage};
      }
      const auto index = report_.find(found->name);
      if (std::find(metrics_.begin(), metrics_.end(), index) != metrics_.end()) continue;
      metrics_.push_back(index);
      if (const auto& problem = report_.why_no_values(index); !problem.empty()) {
        return Problem{"metric " + found->name + " has no values in the report: " + problem,
                       "look at it with the CUBE tools, or give another metric"};
      }
    }
    if (!metrics_.empty() || choice_.by == By::kMetric) return success();
    const auto time = report_.find("time");
    if (time == report::kNone) {
      return Problem{report_.file() + " has no metric time",
                     "name another one with --metric; --by metric shows all", Exit::kUsage};
    }
    metrics_ = {time};
    return success();
  }

  // Treats the sum of all wait states like a metric.
  Status add_run_number(const RunNumber& number) {
    if (std::string(number.name) != kWaiting) {
      return Problem{std::string(number.name) +
                         " is one number of the whole run: it has no call paths and no ranks",
                     "latecomer show --metric " + std::string(number.name) + " " +
                         shell_word(report_.file()) + ", without other options, shows it",
                     Exit::kUsage};
    }
    const auto parts = wait_states_of(d_);
    if (parts.empty()) {
      return Problem{
          report_.file() + (report_.extras().only_watched()
                                ? " does not tell how long ranks waited: records were lost"
                                : " has no wait states: it was not made from a trace"),
          "latecomer show --by metric " + shell_word(report_.file()) + " shows what it has",
          Exit::kUsage};
    }
    if (choice_.by == By::kMetric) {  // all wait states, each with its parts
      for (const auto m : parts) {
        if (std::ranges::find(metrics_, m) == metrics_.end()) metrics_.push_back(m);
      }
      wait_states_ = parts;
      return success();
    }
    waiting_ = report::MetricValues(d_.call_paths.size(), d_.locations.size());
    for (const auto m : parts) {
      const auto values = report_.values(m);
      if (!values) return values.problem();
      for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
        const auto row = (*values)->row(c);
        if (row.empty()) continue;
        const auto sum = waiting_.make_row(c);
        for (std::size_t l = 0; l < row.size(); ++l) sum[l] += row[l];
      }
    }
    metrics_.push_back(waiting_index());
    return success();
  }

  // Index that stands for the sum of all wait states, after those of the metrics.
  [[nodiscard]] std::uint32_t waiting_index() const {
    return static_cast<std::uint32_t>(d_.metrics.size());
  }
  Result<const report::MetricValues*> values_of(std::uint32_t metric) {
    if (metric == waiting_index()) return &waiting_;
    return report_.values(metric);
  }

  [[nodiscard]] bool adds_up(std::uint32_t metric) const {
    return metric == waiting_index() || report_.adds_up(metric);
  }
  // The outermost chosen call paths at or below `top`; kNone: in the whole tree.
  std::vector<std::uint32_t> chosen_below(std::uint32_t top) const {
    std::vector<std::uint32_t> found;
    std::vector<bool> below(d_.call_paths.size());
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto parent = d_.call_paths[c].parent;
      const bool has_parent = parent != report::kNone;
      below[c] = top == report::kNone || c == top || (has_parent && below[parent]);
      if (below[c] && chosen_[c] && (c == top || !has_parent || !chosen_[parent])) {
        found.push_back(c);
      }
    }
    return found;
  }
  report::formula::Aggregate together() {
    return report_.aggregate(std::vector<std::uint32_t>(d_.locations.size(), 0), 1,
                             report::formula::PlaceKind::kNode);
  }

  // Adds a metric that cannot be summed: it is evaluated at each call path.
  void add_ratios(std::uint32_t metric, std::vector<Row>& rows) {
    auto all = together();
    std::vector<bool> above(rows.size());  // ancestors of chosen call paths
    for (auto c = static_cast<std::uint32_t>(rows.size()); c-- > 0;) {
      const auto parent = d_.call_paths[c].parent;
      if (parent != report::kNone && (chosen_[c] || above[c])) above[parent] = true;
    }
    for (std::uint32_t c = 0; c < rows.size(); ++c) {
      double own = 0, with_callees = 0;
      if (chosen_[c]) {
        own = all.at(metric, c, false).front();
        with_callees = all.at(metric, c, true).front();
      } else if (above[c]) {
        with_callees = all.over(metric, chosen_below(c)).front();
      }
      rows[c].own.push_back(own);
      rows[c].values.push_back(out_.is_tree ? with_callees : own);
    }
    add_column(metric, report_.total(metric),
               all.over(metric, chosen_below(report::kNone)).front());
  }

  // The value of each call path by itself, summed over locations; zero for those that are not
  // chosen. `total` becomes the sum over all call paths.
  Result<std::vector<double>> own_of_call_paths(std::uint32_t metric, double& total) {
    const auto values = values_of(metric);
    if (!values) return values.problem();
    std::vector<double> own(d_.call_paths.size());
    total = 0;
    for (std::uint32_t c = 0; c < own.size(); ++c) {
      const auto row = (*values)->row(c);
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      total += sum;
      if (chosen_[c]) own[c] = sum;
    }
    return own;
  }

  // The value of the first column that is 100 %; 0: there is none.
  [[nodiscard]] double whole() const {
    const auto& first = out_.columns.front();
    return first.adds_up ? first.total : 0;
  }

  void add_column(std::uint32_t metric, double total, double selected) {
    if (metric == waiting_index()) {
      out_.columns.push_back({kWaiting, "Waiting", "sec", total, selected});
      return;
    }
    const auto& m = d_.metrics[metric];
    out_.columns.push_back(
        {m.name, m.display, report_.stored(metric).unit, total, selected, report_.adds_up(metric)});
  }

  Status by_call_path() {
    out_.is_tree = !choice_.top;
    if (out_.is_tree) {
      if (const auto status = can_name_all(d_); !status) return status;
    }
    std::vector<Row> rows(d_.call_paths.size());
    for (const auto metric : metrics_) {
      if (!adds_up(metric)) {
        add_ratios(metric, rows);
        continue;
      }
      double total = 0;
      const auto own = own_of_call_paths(metric, total);
      if (!own) return own.problem();
      std::vector<double> with_callees = *own;
      // Callees follow their callers, so one pass from the end makes sums inclusive.
      for (std::size_t c = own->size(); c-- > 0;) {
        const auto parent = d_.call_paths[c].parent;
        if (parent != report::kNone) with_callees[parent] += with_callees[c];
      }
      for (std::size_t c = 0; c < rows.size(); ++c) {
        rows[c].own.push_back((*own)[c]);
        rows[c].values.push_back(out_.is_tree ? with_callees[c] : (*own)[c]);
      }
      add_column(metric, total, std::accumulate(own->begin(), own->end(), 0.0));
    }
    std::vector<std::size_t> depth(rows.size());
    for (std::uint32_t c = 0; c < rows.size(); ++c) {
      const auto parent = d_.call_paths[c].parent;
      if (parent != report::kNone) depth[c] = depth[parent] + 1;
      if (out_.is_tree) rows[c].names = call_path_names(d_, c);
      rows[c].call_path = c;
      rows[c].depth = out_.is_tree ? depth[c] : 0;
      rows[c].whole = whole();
    }
    keep(std::move(rows));
    return success();
  }

  // Returns the row of each location, which is that of its rank, node or metahost.
  std::vector<std::size_t> places(std::vector<Row>& rows) const {
    std::vector<std::size_t> of_location;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known;  // rank or node
    std::vector<std::set<std::uint32_t>> processes;
    std::set<std::string> machines;
    for (const auto& node : d_.system) {
      if (node.class_name == "machine") machines.insert(node.name);
    }
    for (const auto& location : d_.locations) {
      const auto& process = d_.processes[location.process];
      // The machine above the node, otherwise the outermost node.
      auto machine = process.node;
      for (auto n = process.node; n != report::kNone; n = d_.system[n].parent) {
        if (d_.system[n].class_name == "machine" || d_.system[n].parent == report::kNone)
          machine = n;
        if (d_.system[n].class_name == "machine") break;
      }
      const bool rank = choice_.by == By::kRank;
      const auto node = choice_.by == By::kMetahost ? machine : process.node;
      const auto key = rank ? std::pair(process.rank, location.process) : std::pair(node, node);
      const auto [at, is_new] = known.emplace(key, rows.size());
      if (is_new) {
        Row row;
        row.names = {rank ? std::to_string(process.rank) : d_.system[node].name};
        if (choice_.by != By::kMetahost) {
          if (rank) row.place = d_.system[process.node].name;
          if (machines.size() > 1) {
            row.place += (row.place.empty() ? "" : ", ") + d_.system[machine].name;
          }
        }
        rows.push_back(std::move(row));
        processes.emplace_back();
      }
      processes[at->second].insert(location.process);
      of_location.push_back(at->second);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].ranks = processes[r].size();
    return of_location;
  }

  Status by_place() {
    std::vector<Row> rows;
    const auto place = places(rows);
    for (const auto metric : metrics_) {
      if (!adds_up(metric)) {
        const auto chosen = chosen_below(report::kNone);
        const std::vector<std::uint32_t> groups(place.begin(), place.end());
        const auto kind = choice_.by == By::kRank ? report::formula::PlaceKind::kProcess
                                                  : report::formula::PlaceKind::kNode;
        const auto values = report_.aggregate(groups, rows.size(), kind).over(metric, chosen);
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r].values.push_back(values[r]);
        add_column(metric, report_.total(metric), together().over(metric, chosen).front());
        continue;
      }
      const auto values = values_of(metric);
      if (!values) return values.problem();
      std::vector<double> sums(rows.size());
      double total = 0;
      for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
        const auto row = (*values)->row(c);
        for (std::size_t l = 0; l < row.size(); ++l) {
          total += row[l];
          if (chosen_[c]) sums[place[l]] += row[l];
        }
      }
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r].values.push_back(sums[r]);
      add_column(metric, total, std::accumulate(sums.begin(), sums.end(), 0.0));
    }
    for (auto& row : rows) {
      row.own = row.values;
      row.whole = whole();
    }
    out_.rows = std::move(rows);  // ranks with zeros are worth seeing, too
    return success();
  }

  // The chosen metrics and their parts; all metrics if none was chosen.
  Status by_metric() {
    out_.is_tree = !choice_.top;
    std::vector<Row> rows(d_.metrics.size());
    std::vector<bool> wanted(d_.metrics.size()), waiting(d_.metrics.size());
    std::vector<double> totals(d_.metrics.size());
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      const auto& metric = d_.metrics[m];
      const auto parent = metric.parent.empty() ? report::kNone : report_.find(metric.parent);
      const bool is_root = parent == report::kNone || parent >= m;
      const bool named = std::find(metrics_.begin(), metrics_.end(), m) != metrics_.end();
      const bool below = !is_root && wanted[parent];
      wanted[m] = named || below || (metrics_.empty() && !report_.stored(m).hidden);
      if (!wanted[m]) continue;
      // A wait state below a metric that was named itself is a part of that metric.
      waiting[m] =
          below ? waiting[parent] : std::ranges::find(wait_states_, m) != wait_states_.end();
      if (const auto& problem = report_.why_no_values(m); !problem.empty()) {
        out_.notes.push_back("metric " + metric.name + " has no values: " + problem);
      }
      const bool sums = report_.adds_up(m);
      auto own = sums
                     ? own_of_call_paths(m, totals[m])
                     : Result<std::vector<double>>(together().over(m, chosen_below(report::kNone)));
      if (!own) return own.problem();
      auto& row = rows[m];
      const double value = std::accumulate(own->begin(), own->end(), 0.0);
      row.values = row.own = {value};
      row.depth = out_.is_tree && below ? rows[parent].depth + 1 : 0;
      row.names = below ? rows[parent].names : std::vector<std::string>{};
      row.names.push_back(metric.display);
      // Parts are shares of what their parent is a share of.
      row.whole = !sums ? 0 : below && report_.adds_up(parent) ? rows[parent].whole : totals[m];
      row.metric = metric.name;
      row.unit = report_.stored(m).unit;
      // The own value of a metric excludes its parts.
      if (below && sums && report_.adds_up(parent)) rows[parent].own[0] -= value;
    }
    share_waiting(rows, waiting, totals);
    keep(std::move(rows));
    return success();
  }

  // Shows wait states as shares of all waiting, each with its parts. If nothing else is shown, the
  // largest come first.
  void share_waiting(std::vector<Row>& rows, const std::vector<bool>& waiting,
                     const std::vector<double>& totals) const {
    double all = 0;
    for (const auto m : wait_states_) all += totals[m];
    for (std::size_t m = 0; m < rows.size(); ++m) {
      if (waiting[m] && rows[m].whole != 0) rows[m].whole = all;
    }
    if (!out_.is_tree || wait_states_.empty() || metrics_.size() > wait_states_.size()) return;
    std::vector<std::vector<Row>> trees;
    for (auto& row : rows) {
      if (row.values.empty()) continue;
      if (row.depth == 0 || trees.empty()) trees.emplace_back();
      trees.back().push_back(std::move(row));
    }
    std::ranges::stable_sort(trees, std::greater{},
                             [](const auto& tree) { return tree.front().values.front(); });
    rows.clear();
    for (auto& tree : trees) std::ranges::move(tree, std::back_inserter(rows));
  }

  // Keeps the rows that have a value other than zero.
  void keep(std::vector<Row> rows) {
    for (auto& row : rows) {
      if (std::ranges::all_of(row.values, [](double v) { return v == 0 || std::isnan(v); })) {
        continue;
      }
      out_.rows.push_back(std::move(row));
    }
  }

  void cut_to_top() {
    if (!choice_.top) return;
    const auto size = [](const Row& row) {
      return std::isnan(row.values.front()) ? -1 : std::abs(row.values.front());
    };
    std::stable_sort(out_.rows.begin(), out_.rows.end(),
                     [&](const Row& a, const Row& b) { return size(a) > size(b); });
    if (out_.rows.size() > *choice_.top) {
      out_.left_out = out_.rows.size() - *choice_.top;
      out_.rows.resize(*choice_.top);
    }
    if (out_.by != By::kCallPath) return;
    for (auto& row : out_.rows) row.names = call_path_names(d_, row.call_path);
  }

  report::Report& report_;
  const report::Definitions& d_;
  const Choice& choice_;
  std::vector<bool> chosen_;                // flags of call paths
  std::vector<std::uint32_t> metrics_;      // metrics that were named
  std::vector<std::uint32_t> wait_states_;  // wait states that were named together, as all waiting
  report::MetricValues waiting_;            // the sum of all wait states, if it was named
  MetricRows out_;
};

}  // namespace

std::optional<By> by_of_name(const std::string& name) {
  for (const auto& [by, word] : kNames) {
    if (name == word) return by;
  }
  return std::nullopt;
}

const char* name(By by) {
  for (const auto& [known, word] : kNames) {
    if (known == by) return word;
  }
  return "";
}

Result<MetricRows> metric_rows(report::Report& report, const Choice& choice) {
  return Chooser(report, choice).run();
}

}  // namespace latecomer::view
