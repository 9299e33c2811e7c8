// SPDX-License-Identifier: BSD-3-Clause
// Finds and sorts changes. If one rank computes longer, all others wait: the waiting is the larger
// number, but not the cause. A change of time is therefore weighted together with the change of the
// waiting that it caused.
#include "analyzer/view/difference/changes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/view/summary/cause_groups.hpp"
#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/explain.hpp"

namespace latecomer::view {
namespace {

using report::kNone;
using report::MetricValues;

class Finder {
 public:
  Finder(report::Report& before, report::Report& after, const report::Matching& matching)
      : reports_{&before, &after}, matching_(matching), d_(matching.definitions) {}

  Result<Changes> run(const std::vector<std::string>& names) {
    auto before = summarize(*reports_[0]);
    if (!before) return before.problem();
    auto after = summarize(*reports_[1]);
    if (!after) return after.problem();
    out_.before = std::move(*before);
    out_.after = std::move(*after);
    out_.notes = matching_.notes;
    if (one_was_watched()) {
      out_.notes.emplace_back(
          "time outside MPI is compared as a whole, and of the visits those of MPI: a run that was "
          "only watched tells no more");
    }
    for (const auto* report : reports_) {
      for (const auto& note : report->missing_values()) {
        if (note.partial) out_.notes.push_back(report->file() + ": " + sentence(note));
      }
    }
    if (!matching_.failed.empty()) out_.notes.push_back(report::note_of_failed(matching_.failed));
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      std::uint32_t parent = kNone;
      for (std::uint32_t p = 0; p < m && parent == kNone; ++p) {
        if (!d_.metrics[m].parent.empty() && d_.metrics[p].name == d_.metrics[m].parent) parent = p;
      }
      parents_.push_back(parent);
    }
    if (const auto status = choose(names); !status) return status.problem();
    if (const auto status = read_delays(); !status) return status.problem();
    if (const auto status = find_owners(); !status) return status.problem();
    for (const auto m : wait_states_of(d_)) waits_.insert(m);
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      if (parents_[m] != kNone && waits_.count(parents_[m]) != 0) waits_.insert(m);
      if (const auto status = add_metric(m); !status) return status.problem();
    }
    compare_waiting();
    assign_causes();
    compare_causes();
    compare_computation();
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return weights_[a] > weights_[b]; });
    std::vector<Changes::Change> sorted;
    for (const auto i : order_) sorted.push_back(std::move(out_.changes[i]));
    out_.changes = std::move(sorted);
    out_.ratios = ratio_changes(*reports_[0], *reports_[1], matching_, chosen_ratios_, out_.notes);
    return std::move(out_);
  }

 private:
  // Determines the metrics whose changes are listed: those that were named, otherwise the parts of
  // time.
  Status choose(const std::vector<std::string>& names) {
    chosen_.assign(d_.metrics.size(), names.empty());
    out_.own_values = names.empty();
    auto known = d_.metrics;
    for (const auto& ratio : matching_.ratios) {
      const auto& first = *reports_[reports_[0]->find(ratio) == kNone ? 1 : 0];
      known.push_back(first.definitions().metrics[first.find(ratio)]);
    }
    if (names.empty()) chosen_ratios_ = matching_.ratios;
    for (const auto& name : names) {
      const auto found = find_metric(known, name);
      if (!found) {
        return Problem{found.problem().what,
                       "latecomer show --by metric REPORT shows what a report has", Exit::kUsage};
      }
      for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
        if (d_.metrics[m].name == found->name) chosen_[m] = true;
      }
      chosen_ratios_.push_back(found->name);  // no ratio, if the name is of another kind of metric
    }
    const bool has_time = std::any_of(d_.metrics.begin(), d_.metrics.end(), [](const auto& m) {
      return m.name == "time" && m.parent.empty();
    });
    if (names.empty() && has_time) {
      for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
        chosen_[m] = parents_[m] == kNone ? d_.metrics[m].name == "time" : chosen_[parents_[m]];
      }
    }
    return success();
  }

  // True for the metric of MPI_Init and MPI_Finalize and all its parts.
  [[nodiscard]] bool is_start_or_end(std::uint32_t metric) const {
    for (; metric != kNone; metric = parents_[metric]) {
      if (d_.metrics[metric].name == "mpi_init_exit") return true;
    }
    return false;
  }

  [[nodiscard]] Result<MetricValues> values(std::size_t i, std::uint32_t metric) const {
    auto found = report::matched_values(matching_, reports_, i, metric);
    if (found && one_was_watched()) fold(*found, metric);
    return found;
  }

  // A run that was only watched tells the time outside MPI at its root, and counts calls of MPI.
  [[nodiscard]] bool one_was_watched() const {
    return reports_[0]->extras().only_watched() != reports_[1]->extras().only_watched();
  }
  void fold(MetricValues& found, std::uint32_t metric) const {
    const bool is_time = d_.metrics[metric].unit == patterns::Unit::kSeconds;
    for (std::uint32_t c = is_time ? 1 : 0; c < d_.call_paths.size(); ++c) {
      if (d_.regions[d_.call_paths[c].region].paradigm == "mpi" || found.row(c).empty()) continue;
      const auto row = found.make_row(c);
      const std::vector<double> own(row.begin(), row.end());  // the next row may move this one
      std::ranges::fill(row, 0.0);
      if (!is_time) continue;
      const auto root = found.make_row(0);
      for (std::size_t l = 0; l < own.size(); ++l) root[l] += own[l];
    }
  }

  static double sum(std::span<const double> row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
  }

  // Reads the waiting that each call path caused in both runs.
  Status read_delays() {
    for (auto& caused : caused_in_) caused.assign(d_.call_paths.size(), 0);
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      if (d_.metrics[m].name != "delay_mpi") continue;
      for (std::size_t i = 0; i < 2; ++i) {
        const auto one = values(i, m);
        if (!one) return one.problem();
        for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
          caused_in_[i][c] += sum(one->row(c));
        }
      }
    }
    return success();
  }

  // More (+) or less waiting that a call path caused.
  [[nodiscard]] double caused(std::uint32_t call_path) const {
    return caused_in_[1][call_path] - caused_in_[0][call_path];
  }

  // Determines which call path is charged with waiting for each one. Functions that only samples
  // know have times, but no visits: delay costs stay at the function above them that has.
  Status find_owners() {
    std::vector<double> visits(d_.call_paths.size());
    bool known = false;
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      if (d_.metrics[m].name != "visits") continue;
      known = true;
      for (std::size_t i = 0; i < 2; ++i) {
        const auto one = values(i, m);
        if (!one) return one.problem();
        for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) visits[c] += sum(one->row(c));
      }
    }
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto parent = d_.call_paths[c].parent;
      const bool charged = visits[c] > 0 || caused_in_[0][c] != 0 || caused_in_[1][c] != 0;
      owners_.push_back(charged || !known || parent == kNone ? c : owners_[parent]);
    }
    return success();
  }

  // A report that does not tell all wait states is compared by those that it tells.
  void compare_waiting() {
    if (matching_.untold.empty()) return;
    out_.before.waiting = out_.after.waiting = 0;
    const auto parts = wait_states_of(d_);
    for (const auto m : parts) {
      out_.before.waiting += out_.totals[m].value.before;
      out_.after.waiting += out_.totals[m].value.after;
    }
    out_.before.knows_waits = out_.after.knows_waits = !parts.empty();
  }

  // The largest causes of waiting of both runs, with the reasons that their summaries give.
  void compare_causes() {
    const CauseGroups groups(d_);
    std::map<std::uint32_t, Changes::CauseChange> causes;  // by group
    for (std::size_t i = 0; i < 2; ++i) {
      for (const auto& cause : (i == 0 ? out_.before : out_.after).causes) {
        const auto c = matching_.inputs[i].call_paths[cause.members.front()];
        if (c == kNone) continue;
        auto& change = causes[groups.of(c)];
        (i == 0 ? change.how_before : change.how_after) = cause.how;
      }
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> members;
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      if (caused_in_[0][c] == 0 && caused_in_[1][c] == 0) continue;
      const auto group = causes.find(groups.of(c));
      if (group == causes.end()) continue;
      members[group->first].push_back(c);
      group->second.seconds.before += caused_in_[0][c];
      group->second.seconds.after += caused_in_[1][c];
    }
    for (auto& [group, cause] : causes) {
      if (members[group].empty()) continue;
      cause.call_path = groups.names(members[group]);
      out_.causes.push_back(std::move(cause));
    }
    std::ranges::stable_sort(out_.causes, std::greater{},
                             [](const auto& cause) { return std::abs(cause.seconds.change()); });
  }

  void compare_computation() {
    const auto& before = out_.before.sampled;
    const auto& after = out_.after.sampled;
    const bool both = before && after && before->samples > 0 && after->samples > 0;
    if (both) {
      out_.computation = computation_changes(*before, *after);
    } else if (const bool first = before && before->samples > 0;
               first || (after && after->samples > 0)) {
      out_.notes.push_back("functions and lines are not compared: only " +
                           reports_[first ? 0 : 1]->file() + " has samples of the computation");
    }
  }

  // Subtracts the values of the parts of a metric.
  Status take_parts(std::uint32_t metric, std::size_t i, MetricValues& own) const {
    for (std::uint32_t part = metric + 1; part < d_.metrics.size(); ++part) {
      if (parents_[part] != metric) continue;
      const auto theirs = values(i, part);
      if (!theirs) return theirs.problem();
      for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
        const auto row = theirs->row(c);
        if (row.empty()) continue;
        const auto mine = own.make_row(c);
        for (std::size_t l = 0; l < row.size(); ++l) mine[l] -= row[l];
      }
    }
    return success();
  }

  Status add_metric(std::uint32_t m) {
    std::array<MetricValues, 2> both;
    std::array<double, 2> totals{};
    for (std::size_t i = 0; i < 2; ++i) {
      auto one = values(i, m);
      if (!one) return one.problem();
      both[i] = std::move(*one);
      for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) totals[i] += sum(both[i].row(c));
    }
    const auto& metric = d_.metrics[m];
    const auto& unit = matching_.units[m];
    out_.totals.push_back(
        {metric.name, metric.display, unit, metric.parent, {totals[0], totals[1]}});
    // The larger total of the root metric is the scale of a change.
    const auto root = parents_[m] == kNone ? std::max(std::abs(totals[0]), std::abs(totals[1]))
                                           : roots_[parents_[m]];
    roots_.push_back(root);
    if (!chosen_[m] || root == 0) return success();
    for (std::size_t i = 0; out_.own_values && i < 2; ++i) {
      if (const auto status = take_parts(m, i, both[i]); !status) return status;
    }
    constexpr double kRounding = 1e-9, kBehind = -1e6;
    const bool may_cause = metric.unit == patterns::Unit::kSeconds && waits_.count(m) == 0;
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row_before = both[0].row(c), row_after = both[1].row(c);
      Changes::Change change;
      change.value = {sum(row_before), sum(row_after)};
      if (std::abs(change.value.change()) <= kRounding * root) continue;
      change.metric = metric.name;
      change.display = metric.display;
      change.unit = unit;
      change.call_path = call_path_names(d_, c);
      change.ranks = by_rank(row_before, row_after);
      may_cause_.push_back(may_cause ? owners_[c] : kNone);
      // MPI_Init and MPI_Finalize vary most and depend on the launcher, so they come last.
      const double behind = is_start_or_end(m) ? kBehind : 0;
      weights_.push_back(behind + std::abs(change.value.change()) / root);
      roots_of_changes_.push_back(root);
      order_.push_back(order_.size());
      out_.changes.push_back(std::move(change));
    }
    return success();
  }

  // The caused waiting of a call path is shown only once, although several of its metrics may have
  // changed. It is shown at the largest change in the same direction, otherwise at the largest one.
  void assign_causes() {
    std::map<std::uint32_t, std::size_t> chosen;
    const auto fits = [&](std::size_t i) {
      const double change = out_.changes[i].value.change();
      return std::pair(change * caused(may_cause_[i]) > 0, std::abs(change));
    };
    for (std::size_t i = 0; i < out_.changes.size(); ++i) {
      if (may_cause_[i] == kNone || caused(may_cause_[i]) == 0) continue;
      const auto [at, is_new] = chosen.emplace(may_cause_[i], i);
      if (!is_new && fits(i) > fits(at->second)) at->second = i;
    }
    for (const auto& [path, i] : chosen) {
      out_.changes[i].caused = caused(path);
      if (fits(i).first) weights_[i] += std::abs(caused(path)) / roots_of_changes_[i];
    }
  }

  // Change by rank, largest first.
  [[nodiscard]] std::vector<Changes::RankChange> by_rank(std::span<const double> before,
                                                         std::span<const double> after) const {
    if (matching_.collapsed) return {};
    std::map<std::uint32_t, double> sums;
    for (std::size_t l = 0; l < d_.locations.size(); ++l) {
      auto& change = sums[d_.processes[d_.locations[l].process].rank];
      if (!before.empty()) change -= before[l];
      if (!after.empty()) change += after[l];
    }
    std::vector<Changes::RankChange> ranks;
    for (const auto& [rank, change] : sums) {
      if (change != 0) ranks.push_back({rank, change});
    }
    std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
      return std::abs(a.change) > std::abs(b.change);
    });
    return ranks;
  }

  std::array<report::Report*, 2> reports_;
  const report::Matching& matching_;
  const report::Definitions& d_;
  std::vector<std::uint32_t> parents_;  // per metric
  std::vector<double> roots_;           // by metric: the larger total of its root
  std::vector<bool> chosen_;            // flags of metrics
  std::vector<std::string> chosen_ratios_;
  std::array<std::vector<double>, 2> caused_in_;  // waiting, by report and call path
  std::vector<std::uint32_t> owners_;             // by call path
  std::set<std::uint32_t> waits_;                 // wait states and their parts
  std::vector<double> weights_;                   // by change, in the order found
  std::vector<double> roots_of_changes_;
  std::vector<std::uint32_t> may_cause_;  // by change: its call path, if it can cause waiting
  // Indices of the changes, to be sorted by weight.
  std::vector<std::size_t> order_;
  Changes out_;
};

}  // namespace

Result<Changes> find_changes(report::Report& before, report::Report& after,
                             const report::Matching& matching,
                             const std::vector<std::string>& metrics) {
  return Finder(before, after, matching).run(metrics);
}

}  // namespace latecomer::view
