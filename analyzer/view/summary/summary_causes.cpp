// SPDX-License-Identifier: BSD-3-Clause
// Delay costs become causes: call paths that belong together, with ranks, threads and words.
#include "analyzer/view/summary/summary_causes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyzer/view/summary/cause_groups.hpp"
#include "analyzer/view/summary/reason_places.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "analyzer/view/words/file_text.hpp"
#include "analyzer/view/words/longer_text.hpp"

namespace latecomer::view {
namespace {

class Causes {
 public:
  Causes(report::Report& report, ReportSums& sums, Summary& out)
      : report_(report),
        d_(report.definitions()),
        sums_(sums),
        out_(out),
        groups_(d_),
        longer_(longer_in_groups(report, groups_)) {}

  void of_processes() {
    const auto delays = report_.find("delay_mpi");
    if (delays == report::kNone) return;
    std::map<std::uint32_t, GroupCosts> groups;  // in the order of the report
    add_costs(delays, groups, out_.unknown_cause);
    if (sums_.problem()) return;
    out_.knows_causes = true;
    for (auto& [group, costs] : groups) out_.causes.push_back(cause(std::move(costs)));
    cut_to_largest(out_.causes);
    if (report_.extras().results) gains(report_.extras().results->gains);
    const bool off = out_.unknown_cause > 0;
    unknown_causes();
    if (out_.unknown_cause > 0) out_.unknown_cause_reasons = why_unknown(off);
    delay_reasons();
  }

  // Finds the call paths that made threads wait for threads of their own process.
  void of_threads() {
    std::map<std::uint32_t, GroupCosts> groups;
    for (const char* name : {"delay_omp", "delay_pthread"}) {
      const auto delays = report_.find(name);
      if (delays != report::kNone) add_costs(delays, groups, out_.unknown_thread_cause);
    }
    for (auto& [group, costs] : groups) {
      out_.thread_causes.push_back(group_of(costs));
      out_.thread_causes.back().threads = sums_.by_thread(costs.locations);
    }
    cut_to_largest(out_.thread_causes);
  }

 private:
  // Says where the rank that caused most waiting at call paths of a group computed longer, if
  // samples show it.
  [[nodiscard]] std::string longer(std::uint32_t group,
                                   const std::vector<Summary::RankShare>& ranks) const {
    constexpr double kWorthNaming = 0.1;  // part of the costs
    if (ranks.empty()) return "";
    for (const auto& one : longer_) {
      if (one.group != group) continue;
      const auto rank = d_.processes[d_.locations[one.longer.location].process].rank;
      if (rank != ranks.front().rank) continue;
      std::string text = longer_text(one.longer, names_between(d_, one.call_path, one.within));
      const bool is_mpi = d_.regions[d_.call_paths[one.call_path].region].paradigm == "mpi";
      const bool has_rest = one.longer.computed() >= kWorthNaming * one.longer.delay_costs;
      if (is_mpi && has_rest && !text.empty()) text += "; the rest is time in MPI itself";
      return text;
    }
    return "";
  }

  // Says which file the rank that caused most waiting was busy with, if the call paths are calls on
  // files: that with most time there, and all that the rank did with it.
  [[nodiscard]] std::string file(std::span<const std::uint32_t> call_paths,
                                 const std::vector<Summary::RankShare>& ranks) const {
    const auto& region = d_.regions[d_.call_paths[call_paths.front()].region];
    if (!report_.extras().results || ranks.empty() || !is_file_call(region)) return "";
    std::set<std::uint64_t> ids;
    for (const auto c : call_paths) ids.insert(report_.call_path_ids()[c]);
    std::vector<report::FileUse> uses;
    std::map<std::string, double> here;  // seconds by file
    for (const auto& use : report_.extras().results->file_uses) {
      if (use.location >= d_.locations.size() ||
          d_.processes[d_.locations[use.location].process].rank != ranks.front().rank) {
        continue;
      }
      uses.push_back(use);
      if (ids.contains(use.call_path)) here[use.file] += use.seconds();
    }
    if (here.empty()) {
      const bool is_one = std::ranges::all_of(call_paths, [&](auto c) {
        return d_.call_paths[c].region == d_.call_paths[call_paths.front()].region;
      });
      return is_one ? "by time in " + region.name + " itself, in the file system"
                    : "by time in its calls on files, in the file system";
    }
    const auto most =
        std::ranges::max_element(here, {}, [](const auto& one) { return one.second; });
    std::erase_if(uses, [&](const auto& use) { return use.file != most->first; });
    return file_text(uses, here.size() - 1);
  }

  // Of several ranks, these texts are about the first one.
  [[nodiscard]] static std::string with_rank(const std::string& text,
                                             const std::vector<Summary::RankShare>& ranks) {
    constexpr double kShown = 0.005;  // part that is shown as 1 %
    double all = 0;
    for (const auto& rank : ranks) all += rank.seconds;
    const bool is_only_one = ranks.size() < 2 || ranks[1].seconds < kShown * all;
    return is_only_one ? text : naming_rank(text, ranks.front().rank);
  }

  // True if threads do something of their own at this call path.
  [[nodiscard]] bool is_of_threads(std::uint32_t call_path) const {
    for (auto at = call_path; at != report::kNone; at = d_.call_paths[at].parent) {
      const auto& paradigm = d_.regions[d_.call_paths[at].region].paradigm;
      if (paradigm == "openmp" || paradigm == "pthread") return true;
    }
    return false;
  }

  // The thread that has most of the first rank's part, from values by location.
  [[nodiscard]] std::optional<Summary::ThreadShare> thread(
      const Summary::Cause& cause, std::span<const double> locations) const {
    constexpr double kMost = 0.5;
    if (cause.ranks.empty()) return {};
    const auto [rank, all] = cause.ranks.front();
    std::size_t threads = 0;
    std::optional<Summary::ThreadShare> found;
    for (std::size_t l = 0; l < locations.size(); ++l) {
      if (d_.processes[d_.locations[l].process].rank != rank) continue;
      ++threads;
      if (locations[l] < kMost * all || (found && locations[l] <= found->seconds)) continue;
      found = {rank, d_.locations[l].thread, locations[l], given_name(d_.locations[l].name)};
    }
    // The first thread goes without saying, except in what all threads do.
    const bool is_named = found && (found->thread != 0 || is_of_threads(cause.members.front()));
    return threads > 1 && is_named ? found : std::nullopt;
  }

  // Says how the time of call paths of a group made others wait, as far as that is known.
  [[nodiscard]] std::string how(std::span<const std::uint32_t> call_paths,
                                const std::vector<Summary::RankShare>& ranks) const {
    const auto call_path = call_paths.front();
    if (auto text = file(call_paths, ranks); !text.empty()) return with_rank(text, ranks);
    if (auto text = longer(groups_.of(call_path), ranks); !text.empty()) {
      return with_rank(text, ranks);
    }
    if (d_.regions[d_.call_paths[call_path].region].paradigm == "mpi") {
      return has_note({"edge_epochs", "unseen_one_sided"})
                 ? "by time in MPI itself: transfer, no core free, or waiting for one-sided "
                   "operations that are not in the trace"
                 : "by time in MPI itself, not by waiting: transfer, or no core was free";
    }
    if (!report_.extras().call_paths_from_stacks) return "";
    const auto caller = d_.call_paths[call_path].parent;
    return caller == report::kNone || d_.call_paths[caller].parent == report::kNone
               ? "by time between its MPI calls: its own, or of what it calls"
               : "by time between its MPI calls: its own, of what it calls, or of its caller in "
                 "between";
  }

  // True if the report has one of these notes on data quality.
  [[nodiscard]] bool has_note(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(report_.extras().quality, [&](const auto& note) {
      return std::ranges::find(names, note.name) != names.end();
    });
  }

  // Delay costs of the call paths of a group.
  struct GroupCosts {
    std::vector<double> locations;
    std::vector<std::pair<std::uint32_t, double>> call_paths;
  };

  // A cause with call path, ranks and parts of a group.
  [[nodiscard]] Summary::Cause group_of(GroupCosts& costs) const {
    constexpr std::size_t kMostParts = 10;
    Summary::Cause cause;
    std::ranges::stable_sort(costs.call_paths, std::greater{},
                             [](const auto& part) { return std::abs(part.second); });
    for (const auto& [c, seconds] : costs.call_paths) {
      cause.members.push_back(c);
      cause.seconds += seconds;
    }
    for (std::size_t i = 0; cause.members.size() > 1 && i < cause.members.size(); ++i) {
      if (i == kMostParts) break;
      const auto& [c, seconds] = costs.call_paths[i];
      cause.parts.push_back({call_path_names(d_, c), seconds});
    }
    cause.call_path = groups_.names(cause.members);
    cause.ranks = sums_.by_rank(costs.locations);
    cause.spread = sums_.spread(cause.ranks);
    return cause;
  }

  [[nodiscard]] Summary::Cause cause(GroupCosts costs) const {
    Summary::Cause cause = group_of(costs);
    cause.how = how(cause.members, cause.ranks);
    cause.thread = thread(cause, costs.locations);
    if (cause.thread) {
      const auto& [rank, number, seconds, name] = *cause.thread;
      const std::string text = "thread " + std::to_string(number) +
                               (name.empty() ? "" : " (" + name + ")") + " of rank " +
                               std::to_string(rank) + " has " +
                               percent(seconds, cause.ranks.front().seconds, 0) + " % of its part";
      cause.how = cause.how.empty() ? text : text + "; " + cause.how;
    }
    return cause;
  }

  void gains(const std::optional<report::Gains>& gains) {
    if (!gains) return;
    out_.replayed = gains->recorded;
    out_.gain_error = gains->error;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < gains->causes.size(); ++i) {
      const auto& cause = gains->causes[i];
      if (cause.call_path >= d_.call_paths.size()) continue;
      kept.push_back(i);
      out_.gains.push_back(
          {call_path_names(d_, cause.call_path), cause.balanced, cause.faster, cause.curve});
    }
    for (const auto& path : gains->paths) {
      if (path.of_cause.size() != gains->causes.size()) continue;
      auto& out = out_.gain_paths.emplace_back(report::Gains::Path{.fixed = path.fixed});
      for (const double seconds : path.of_cause) out.fixed += seconds;
      for (const auto i : kept) {
        out.fixed -= path.of_cause[i];
        out.of_cause.push_back(path.of_cause[i]);
      }
    }
  }

  // Adds the delay costs of a metric to the groups of their call paths. Costs while recording was
  // off are added to `unrecorded`.
  void add_costs(std::uint32_t metric, std::map<std::uint32_t, GroupCosts>& groups,
                 double& unrecorded) {
    const auto values = report_.values(metric);
    if (!values) {
      sums_.fail(values.problem());
      return;
    }
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      const double seconds = std::accumulate(row.begin(), row.end(), 0.0);
      if (d_.regions[d_.call_paths[c].region].name == "MEASUREMENT OFF") {
        unrecorded += seconds;  // it is unknown what the program did there
      } else if (sums_.counts(seconds)) {
        auto& group = groups[groups_.of(c)];
        group.call_paths.emplace_back(c, seconds);
        group.locations.resize(row.size());
        for (std::size_t l = 0; l < row.size(); ++l) group.locations[l] += row[l];
      }
    }
  }

  // Keeps the ten largest, the largest first.
  static void cut_to_largest(std::vector<Summary::Cause>& causes) {
    constexpr std::size_t kMost = 10;
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) {
      return std::abs(a.seconds) > std::abs(b.seconds);
    });
    if (causes.size() > kMost) causes.resize(kMost);
  }

  // Divides waiting without a known cause into that of processes and that of threads, in the ratio
  // of their wait states where it was.
  void unknown_causes() {
    const auto unknown = report_.find("delay_unknown");
    if (unknown == report::kNone) return;
    const auto values = report_.values(unknown);
    if (!values) {
      sums_.fail(values.problem());
      return;
    }
    struct Place {
      std::uint32_t call_path;
      std::size_t location;
      double seconds, processes = 0, threads = 0;
    };
    std::vector<Place> places;
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) places.push_back({c, l, row[l]});
      }
    }
    const auto add = [&](const std::vector<std::uint32_t>& metrics, double Place::*to) {
      for (const auto m : metrics) {
        const auto waits = report_.values(m);
        if (!waits) continue;
        for (Place& one : places) {
          const auto row = (*waits)->row(one.call_path);
          if (!row.empty()) one.*to += row[one.location];
        }
      }
    };
    if (!places.empty()) {
      add(wait_states_of(d_), &Place::processes);
      add(thread_waits_of(d_), &Place::threads);
    }
    for (const Place& one : places) {
      const double all = one.processes + one.threads;
      const double part = one.threads > 0 && all > 0 ? one.threads / all : 0;
      out_.unknown_cause += (1 - part) * one.seconds;
      out_.unknown_thread_cause += part * one.seconds;
    }
  }

  void delay_reasons() {
    for (const auto& metric : d_.metrics) {
      if (metric.parent != "delay_reasons") continue;
      const double seconds = sums_.totals(metric.name).all;
      double rest = seconds;  // without its parts, which take its place
      for (const auto& part : d_.metrics) {
        if (part.parent != metric.name) continue;
        const double own = sums_.totals(part.name).all;
        if (sums_.counts(own)) out_.delay_reasons.push_back({part.name, part.display, own});
        rest -= own;
      }
      constexpr double kRounding = 1e-9;
      if (std::abs(rest) < kRounding * std::abs(seconds)) continue;
      if (sums_.counts(rest)) {
        out_.delay_reasons.push_back(
            {metric.name, metric.display, rest, place_of_reason(report_, metric.name)});
      }
    }
    std::ranges::stable_sort(out_.delay_reasons, std::greater{}, &Summary::DelayReason::seconds);
  }

  // Reasons why causes may be unknown, as far as the report has them. `off`: some causes are calls
  // that were not recorded.
  [[nodiscard]] std::vector<std::string> why_unknown(bool off) const {
    std::vector<std::string> reasons;
    if (off) reasons.emplace_back("recording was off");
    if (has_note({"unmatched_receives", "unmatched_sends", "unmatched_collectives", "edge_messages",
                  "edge_collectives"})) {
      reasons.emplace_back("other sides of operations are not in the trace");
    }
    const auto& settings = report_.extras().settings;
    if (settings.scalasca_compatible) {
      reasons.emplace_back("--scalasca-compatible looks for few kinds of causes");
    }
    if (std::ranges::none_of(d_.call_paths, [&](const auto& path) {
          return d_.regions[path.region].name.starts_with("MPI_Init") ||
                 d_.regions[path.region].name == "MPI_Session_init";
        })) {
      reasons.emplace_back("no MPI_Init is in the trace, from which on processes were in step");
    }
    return reasons;
  }

  report::Report& report_;
  const report::Definitions& d_;
  ReportSums& sums_;
  Summary& out_;
  const CauseGroups groups_;
  const std::vector<LongerInGroup> longer_;
};

}  // namespace

void add_causes(report::Report& report, ReportSums& sums, Summary& summary) {
  Causes causes(report, sums, summary);
  causes.of_processes();
  causes.of_threads();
}

}  // namespace latecomer::view
