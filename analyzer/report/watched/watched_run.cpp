// SPDX-License-Identifier: BSD-3-Clause
// Builds the tree of call paths, then adds each time to a metric and all that contain it.
#include "analyzer/report/watched/watched_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/extras/shared_cores_note.hpp"
#include "archive/shell_words.hpp"
#include "patterns/calls/time_class.hpp"
#include "patterns/metrics.hpp"
#include "tracer/functions/regions.hpp"
#include "tracer/watch/view/watch_json.hpp"

namespace latecomer::report {
namespace {

using patterns::MetricId;
using watch::Nanoseconds;
using watch::WatchReport;

constexpr const char* kMachine = "machine";

// The words are those of CUBE.
std::string role_of(const std::string& mpi_function) {
  static const auto roles = [] {
    std::map<std::string, std::string, std::less<>> all;
    for (const auto& function : mpi::kRegions) all.emplace(function.name, function.role);
    return all;
  }();
  const auto found = roles.find(mpi_function);
  return found == roles.end() ? "function" : found->second;
}

// The statistics of a run that goes on do not have the calls that are open. Here they count until
// now, with the waits in them.
WatchReport with_open_calls(WatchReport run) {
  if (run.ended) return run;
  run.run = std::max(run.run, run.until);
  for (const auto& one : run.unfinished) {
    const auto of = std::ranges::find(run.ranks, one.rank, &WatchReport::OfRank::rank);
    if (of == run.ranks.end()) continue;
    of->run += one.beyond;
    if (!of->lost) of->known += one.beyond;
    if (one.path.names.empty()) continue;
    run.calls.push_back({one.path, {{one.rank, {1, one.length}}}});
    if (one.kind) {
      const watch::Sum wait{1, one.waiting};
      run.paths.push_back({*one.kind, one.path, wait, {{one.rank, wait}}, {}});
    }
  }
  return run;
}

class Maker {
 public:
  explicit Maker(WatchReport run)
      : run_(with_open_calls(std::move(run))),
        tree_(patterns::computed_metrics(std::vector<patterns::Metahost>(1))) {}

  Combined make() {
    ranks();
    root();
    calls();
    outside_mpi();
    if (run_.has_known()) waits();
    metrics();
    extras();
    return std::move(out_);
  }

 private:
  using Row = std::vector<std::int64_t>;  // by column

  void ranks() {
    Definitions& d = out_.definitions;
    d.system.push_back({kMachine, kMachine, kNone});
    std::map<std::string, std::uint32_t> nodes;
    for (const auto& rank : run_.ranks) {
      if (columns_.contains(rank.rank)) continue;  // a damaged file
      const auto [node, is_new] =
          nodes.try_emplace(rank.node, static_cast<std::uint32_t>(d.system.size()));
      if (is_new) d.system.push_back({rank.node, "node", 0});
      const auto column = static_cast<std::uint32_t>(d.processes.size());
      columns_[rank.rank] = column;
      d.processes.push_back({"MPI Rank " + std::to_string(rank.rank), rank.rank, node->second});
      d.locations.push_back({"Master thread", 0, column});
    }
  }

  std::uint32_t region(const std::string& name, bool is_mpi) {
    const auto [place, is_new] = regions_.try_emplace(
        {name, is_mpi}, static_cast<std::uint32_t>(out_.definitions.regions.size()));
    if (is_new) {
      out_.definitions.regions.push_back(is_mpi ? Region{name, name, "MPI", "mpi", role_of(name)}
                                                : Region{name, name, "", "compiler", "function"});
    }
    return place->second;
  }

  // The root stands for the program, as in the analysis of a trace.
  void root() {
    const auto words = shell_words(run_.program);
    const std::string name = words.empty() ? "unknown program" : words.front();
    out_.definitions.regions.push_back(
        {name.substr(name.rfind('/') + 1), name, "", "measurement", "artificial"});
    out_.definitions.call_paths.push_back({kNone, 0});
  }

  // Call path of the names; the last one is that of an MPI function.
  std::uint32_t call_path(const std::vector<std::string>& names) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::uint32_t r = region(names[i], i + 1 == names.size());
      const auto [place, is_new] = children_.try_emplace(
          {at, r}, static_cast<std::uint32_t>(out_.definitions.call_paths.size()));
      if (is_new) out_.definitions.call_paths.push_back({at, r});
      at = place->second;
    }
    return at;
  }

  // Metric of the time of a call path, without those that contain it.
  [[nodiscard]] MetricId time_of(std::uint32_t call_path) const {
    const Region& r = out_.definitions.regions[out_.definitions.call_paths[call_path].region];
    const MetricId id = tree_.id(patterns::time_class(r.name, r.paradigm, r.role));
    // Calls of files have metrics of their own only in traces that have such calls.
    return id != patterns::MetricTree::kNone ? id : tree_.id(r.paradigm == "mpi" ? "mpi" : "comp");
  }

  void add(MetricId metric, std::uint32_t call_path, std::uint32_t column, std::int64_t value) {
    Row& row = values_[metric][call_path];
    row.resize(columns_.size());
    row[column] += value;
  }

  void add_with_parents(MetricId metric, std::uint32_t call_path, std::uint32_t column,
                        std::int64_t value) {
    for (const MetricId id : tree_.path(metric)) add(id, call_path, column, value);
  }

  void calls() {
    in_mpi_.resize(columns_.size());
    for (const auto& of : run_.calls) {
      const std::uint32_t path = call_path(of.path.names);
      for (const auto& [rank, sum] : of.ranks) {
        const auto column = columns_.find(rank);
        if (column == columns_.end()) continue;
        add_with_parents(time_of(path), path, column->second, sum.time);
        add(tree_.id("visits"), path, column->second, sum.count);
        in_mpi_[column->second] += sum.time;
      }
    }
  }

  void outside_mpi() {
    for (const auto& rank : run_.ranks) {
      const std::uint32_t column = columns_.at(rank.rank);
      add_with_parents(time_of(0), 0, column, std::max<Nanoseconds>(0, rank.run - in_mpi_[column]));
      in_mpi_[column] = rank.run;  // a rank that a damaged file names twice counts once
      if (rank.unseen > 0) add_with_parents(time_of(0), not_seen(), column, rank.unseen);
    }
  }

  // Call path for the time in which records were lost, as for recording that was switched off.
  std::uint32_t not_seen() {
    const auto region = static_cast<std::uint32_t>(out_.definitions.regions.size());
    constexpr const char* kName = "MEASUREMENT OFF";
    const auto [place, is_new] = regions_.try_emplace({kName, false}, region);
    if (is_new) out_.definitions.regions.push_back({kName, kName, "", "user", "artificial"});
    auto& paths = out_.definitions.call_paths;
    const auto [path, is_new_path] =
        children_.try_emplace({0, place->second}, static_cast<std::uint32_t>(paths.size()));
    if (is_new_path) paths.push_back({0, place->second});
    return path->second;
  }

  // A wait is a part of the time of its call. MPI_Wait is point-to-point communication, but may
  // wait for a collective operation: then the time of the wait is collective.
  void waits() {
    for (const auto& of : run_.paths) {
      const std::uint32_t path = call_path(of.path.names);
      const auto wait = tree_.path(tree_.id(watch::metric_name(of.kind)));
      const auto call = tree_.path(time_of(path));
      for (const auto& [rank, sum] : of.ranks) {
        const auto column = columns_.find(rank);
        if (column == columns_.end()) continue;
        for (const MetricId id : wait) {
          if (std::ranges::find(call, id) == call.end()) add(id, path, column->second, sum.time);
        }
        for (const MetricId id : call) {
          if (std::ranges::find(wait, id) == wait.end()) add(id, path, column->second, -sum.time);
        }
      }
    }
  }

  // Metrics that have values, all wait states that are looked for, and what contains them.
  void metrics() {
    std::vector<bool> is_kept(tree_.size());
    const auto keep = [&](MetricId metric) {
      for (const MetricId id : tree_.path(metric)) is_kept[id] = true;
    };
    keep(tree_.id("visits"));
    keep(tree_.id("comp"));
    for (std::size_t kind = 0; run_.has_known() && kind < watch::kWaitKinds; ++kind)
      keep(tree_.id(watch::metric_name(static_cast<watch::WaitKind>(kind))));
    told_ = is_kept;
    for (const auto& function : mpi::kRegions) {
      const MetricId id = tree_.id(patterns::time_class(function.name, "mpi", function.role));
      if (id == patterns::MetricTree::kNone) continue;
      for (const MetricId above : tree_.path(id)) told_[above] = true;
    }
    for (const auto& [metric, rows] : values_) keep(metric);
    const Definitions& d = out_.definitions;
    for (MetricId id = 0; id < tree_.size(); ++id) {
      if (!is_kept[id]) continue;
      const bool is_time = tree_[id].unit == patterns::Unit::kSeconds;
      out_.definitions.metrics.push_back(tree_[id]);
      out_.units.emplace_back(is_time ? "sec" : "occ");
      MetricValues& values = out_.values.emplace_back(d.call_paths.size(), d.locations.size());
      const auto rows = values_.find(id);
      if (rows == values_.end()) continue;
      for (const auto& [call_path, row] : rows->second) {
        const auto to = values.make_row(call_path);
        for (std::size_t c = 0; c < row.size(); ++c)
          to[c] = static_cast<double>(row[c]) / (is_time ? 1e9 : 1);
      }
    }
  }

  void note(const char* name, std::int64_t count, std::string text, bool partial) {
    if (count > 0) extras_->quality.push_back({name, count, std::move(text), partial, {}, {}});
  }

  void extras() {
    extras_ = std::make_shared<Extras>();
    auto words = shell_words(run_.program);
    if (!words.empty()) {
      extras_->program.name = words.front();
      extras_->program.arguments.assign(words.begin() + 1, words.end());
    }
    const Definitions& d = out_.definitions;
    extras_->run.ranks = extras_->run.locations = d.processes.size();
    extras_->run.nodes = d.system.size() - 1;
    extras_->run.metahosts = {kMachine};
    extras_->run.duration = static_cast<double>(run_.run) / 1e9;
    extras_->run.events =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, run_.records.records));
    extras_->call_paths_from_stacks = true;
    for (MetricId id = 0; id < tree_.size(); ++id) {
      if (told_[id]) extras_->tells.push_back(tree_[id].name);
    }
    extras_->waits_at_least = run_.lost_ranks() != 0 && run_.has_known();
    const auto ranks = static_cast<std::int64_t>(d.processes.size());
    note("watched", ranks,
         "ranks were watched, not traced: seven wait states are known; whom they waited for is in "
         "watch.json",
         false);
    if (const auto& shared = run_.shared_cores) {
      extras_->quality.push_back(shared_cores_note(shared->ranks, shared->threads, shared->cores));
    }
    note("ranks_not_watched", static_cast<std::int64_t>(run_.not_watched.size()),
         "ranks were not watched: nothing is known of them, and waits for them are missing", true);
    note("waits_not_known", static_cast<std::int64_t>(run_.lost_ranks()),
         "ranks whose later waits are not known: records were overwritten before they were read",
         true);
    note("records_lost", run_.records.lost,
         "records were overwritten before they were read: calls are missing", true);
    note("records_not_written", run_.records.not_written,
         "records could not be written: calls are missing", true);
    note("records_damaged", run_.records.damages, "damaged places in records", true);
    const auto unfinished = static_cast<std::int64_t>(run_.unfinished.size());
    // The name of the note is that of a trace.
    note("unfinished_processes", run_.ended ? unfinished : 0,
         "processes that never reached MPI_Finalize: their last calls count up to their end", true);
    note("running",
         run_.ended        ? 0
         : unfinished != 0 ? unfinished
                           : ranks,
         "ranks had not ended yet: their calls count up to then", true);
    extras_->partial = run_.partial();
    if (run_.ended) endings();
    out_.definitions.extras = extras_;
  }

  // Ranks that did not reach MPI_Finalize are grouped by their last places.
  void endings() {
    std::map<std::pair<Ending::State, std::vector<std::string>>, Ending> all;
    const Definitions& d = out_.definitions;
    for (const auto& one : run_.unfinished) {
      std::vector<std::string> path;
      if (!one.path.names.empty()) {
        path.push_back(d.regions[0].name);  // the program
        path.insert(path.end(), one.path.names.begin(), one.path.names.end());
      }
      const double since = static_cast<double>(one.from) / 1e9;
      const auto [at, is_new] = all.try_emplace({state_of(one.state), path});
      Ending& ending = at->second;
      ending.state = at->first.first;
      ending.call_path = path;
      ending.ranks.push_back(static_cast<int>(one.rank));
      ending.since = is_new ? since : std::min(ending.since, since);
    }
    for (auto& [place, ending] : all) extras_->endings.push_back(std::move(ending));
    std::ranges::stable_sort(extras_->endings, {}, [](const Ending& ending) {
      return std::pair(ending.state, ending.ranks.front());
    });
  }

  static Ending::State state_of(watch::UnfinishedRank::State state) {
    using From = watch::UnfinishedRank::State;
    switch (state) {
      case From::kInCall:
        return Ending::State::kInCall;
      case From::kOutside:
        return Ending::State::kOutside;
      case From::kExited:
        return Ending::State::kExited;
      case From::kAborted:
        return Ending::State::kAborted;
      default:
        return Ending::State::kUnknown;
    }
  }

  const WatchReport run_;
  const patterns::MetricTree tree_;
  Combined out_;
  std::shared_ptr<Extras> extras_;
  std::map<watch::Rank, std::uint32_t> columns_;
  std::map<std::pair<std::string, bool>, std::uint32_t> regions_;  // by name, and if it is MPI's
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;  // by path, region
  std::map<MetricId, std::map<std::uint32_t, Row>> values_;  // by metric and call path
  std::vector<Nanoseconds> in_mpi_;                          // by column
  std::vector<bool> told_;                                   // by metric
};

}  // namespace

Combined report_of(const WatchReport& run) { return Maker(run).make(); }  // a copy: it is changed

}  // namespace latecomer::report
