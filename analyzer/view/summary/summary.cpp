// SPDX-License-Identifier: BSD-3-Clause
// Sums the metrics that matter for a first look over call paths and locations.
#include "analyzer/view/summary/summary.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <span>

#include "analyzer/view/summary/cause_groups.hpp"
#include "analyzer/view/summary/reason_places.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "analyzer/view/words/file_text.hpp"
#include "analyzer/view/words/longer_text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_words.hpp"

namespace latecomer::view {
namespace {

constexpr const char* kPairPrefix = "metahost_pairs_";

// Sums of one metric.
struct Totals {
  double all = 0;
  std::vector<double> call_paths, locations;
};

class Summarizer {
 public:
  explicit Summarizer(report::Report& report)
      : report_(report),
        d_(report.definitions()),
        groups_(d_),
        longer_(longer_in_groups(report, groups_)) {}

  Result<Summary> run() {
    out_.file = report_.file();
    const auto& extras = report_.extras();
    out_.program = extras.program.name;
    out_.arguments = extras.program.arguments;
    std::vector<std::string> words = {out_.program};
    words.insert(words.end(), out_.arguments.begin(), out_.arguments.end());
    out_.command = out_.program.empty() ? "unknown program" : printable(command_line(words));
    out_.endings = extras.endings;
    if (extras.results) {
      out_.clocks = extras.results->clocks;
      out_.sampled = extras.results->computation;
      out_.efficiency = extras.results->efficiency;
    }
    out_.document = d_.document;
    out_.quality = extras.quality;
    out_.tells_quality = report_.document().contains("quality");
    out_.operation = extras.origin.name;
    out_.difference = out_.operation == "diff";
    if (!out_.operation.empty()) {
      out_.inputs = extras.origin.inputs;
      out_.summed_ranks = extras.origin.ranks;
    }
    out_.partial = extras.partial;
    out_.only_watched = extras.only_watched();
    out_.waits_at_least = extras.waits_at_least;
    system();

    const auto time = totals("time");
    out_.time = time.all;
    out_.knows_time = report_.find("time") != report::kNone;
    const auto longest = std::max_element(time.locations.begin(), time.locations.end());
    // A report without a run time gets that of its longest location.
    out_.duration = extras.run.duration;
    // A sum over ranks, or a difference, is not the run time of anything.
    const bool is_run = !out_.difference && out_.summed_ranks.empty();
    if (!(out_.duration > 0)) {
      out_.duration = is_run && longest != time.locations.end() ? *longest : 0;
    }
    shares(time);
    for (const auto m : wait_states_of(d_)) {
      if (report_.stored(m).hidden) continue;
      out_.knows_waits = true;
      wait_state(d_.metrics[m], false);
    }
    for (const auto m : thread_waits_of(d_)) {
      if (!report_.stored(m).hidden) wait_state(d_.metrics[m], true);
    }
    causes();
    thread_causes();
    for (const auto& metric : d_.metrics) {
      if (metric.name.starts_with(kPairPrefix) && is_leaf(metric.name)) metahost_pair(metric);
    }
    const auto largest_first = [](const auto& a, const auto& b) {
      return std::abs(a.seconds) > std::abs(b.seconds);
    };
    std::stable_sort(out_.wait_states.begin(), out_.wait_states.end(), largest_first);
    std::stable_sort(out_.thread_waits.begin(), out_.thread_waits.end(), largest_first);
    std::stable_sort(out_.metahost_pairs.begin(), out_.metahost_pairs.end(), largest_first);
    if (problem_) return *problem_;
    return std::move(out_);
  }

 private:
  // Only positive values count, except in a difference.
  [[nodiscard]] bool counts(double seconds) const {
    return out_.difference ? seconds != 0 : seconds > 0;
  }

  Totals totals(const std::string& name) {
    Totals sums;
    sums.call_paths.resize(d_.call_paths.size());
    sums.locations.resize(d_.locations.size());
    const auto values = report_.values(report_.find(name));
    if (!values) {
      problem_ = values.problem();
      return sums;
    }
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      for (std::size_t l = 0; l < row.size(); ++l) {
        sums.call_paths[c] += row[l];
        sums.locations[l] += row[l];
      }
      sums.all += sums.call_paths[c];
    }
    return sums;
  }

  void system() {
    std::set<std::uint32_t> nodes;
    for (const auto& process : d_.processes) {
      nodes.insert(process.node);
      if (out_.summed_ranks.empty()) place(process);
    }
    out_.ranks = d_.processes.size();
    out_.locations = d_.locations.size();
    out_.nodes = nodes.size();
    for (const auto& node : d_.system) {
      if (node.class_name == "machine") out_.metahosts.push_back(node.name);
    }
    if (!d_.call_paths.empty()) {
      const auto& root = d_.regions[d_.call_paths[0].region];
      if (root.paradigm == "measurement" && root.role == "artificial") out_.root = root.name;
    }
    if (out_.program.empty() && !d_.call_paths.empty()) {
      out_.program = d_.regions[d_.call_paths[0].region].name;
      out_.command = out_.program;  // the name stands for the command line
    }
  }

  void place(const report::Process& process) {
    std::string metahost;
    auto node = process.node;
    for (auto above = node; above < d_.system.size(); above = d_.system[above].parent) {
      if (d_.system[above].class_name == "machine") metahost = d_.system[above].name;
    }
    places_.add(process.rank, node < d_.system.size() ? d_.system[node].name : "", metahost);
  }

  void shares(const Totals& time) {
    const bool has_mpi = report_.find("mpi") != report::kNone;
    if (has_mpi) {
      out_.mpi = totals("mpi").all;
    } else {
      // Time below the outermost MPI calls, identified by their paradigm.
      std::vector<bool> in_mpi(d_.call_paths.size());
      for (std::size_t c = 0; c < d_.call_paths.size(); ++c) {
        const auto& call_path = d_.call_paths[c];
        in_mpi[c] = d_.regions[call_path.region].paradigm == "mpi" ||
                    (call_path.parent != report::kNone && in_mpi[call_path.parent]);
        if (in_mpi[c]) out_.mpi += time.call_paths[c];
      }
    }
    const auto if_known = [&](const char* name) {
      return report_.find(name) == report::kNone ? 0 : totals(name).all;
    };
    out_.init_finalize = if_known("mpi_init_exit");
    out_.overhead = if_known("overhead");
    out_.knows_computation = report_.find("comp") != report::kNone;
    for (std::size_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto& region = d_.regions[d_.call_paths[c].region];
      if (region.name == "MEASUREMENT OFF") out_.unrecorded += time.call_paths[c];
    }
    out_.computation = out_.knows_computation ? totals("comp").all : out_.time - out_.mpi;
    // CUBE's rules make it computation, but nothing is known about it.
    out_.computation -= out_.unrecorded;
    if (!out_.difference) out_.computation = std::max(0.0, out_.computation);
  }

  void wait_state(const patterns::Metric& metric, bool of_threads) {
    const auto sums = totals(metric.name);
    (of_threads ? out_.thread_waiting : out_.waiting) += sums.all;
    if (!counts(sums.all)) return;
    Summary::WaitState wait;
    wait.metric = metric.name;
    wait.display = metric.display;
    wait.seconds = sums.all;

    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      if (counts(sums.call_paths[c])) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return std::abs(sums.call_paths[a]) > std::abs(sums.call_paths[b]);
    });
    for (const auto c : order) {
      wait.call_paths.push_back({call_path_names(d_, c), sums.call_paths[c]});
    }
    wait.ranks = by_rank(sums.locations);
    wait.spread = places_.spread(wait.ranks);
    if (of_threads) wait.threads = by_thread(sums.locations);
    (of_threads ? out_.thread_waits : out_.wait_states).push_back(std::move(wait));
  }

  // Shares of the ranks, largest first, from values by location.
  [[nodiscard]] std::vector<Summary::RankShare> by_rank(std::span<const double> locations) const {
    if (!out_.summed_ranks.empty()) return {};  // the only column is not a rank
    std::map<std::uint32_t, double> sums;
    for (std::size_t l = 0; l < locations.size(); ++l) {
      if (counts(locations[l])) sums[d_.processes[d_.locations[l].process].rank] += locations[l];
    }
    std::vector<Summary::RankShare> ranks;
    for (const auto& [rank, seconds] : sums) ranks.push_back({rank, seconds});
    std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
      return std::abs(a.seconds) > std::abs(b.seconds);
    });
    return ranks;
  }

  [[nodiscard]] std::vector<Summary::ThreadShare> by_thread(
      std::span<const double> locations) const {
    if (!out_.summed_ranks.empty()) return {};
    std::vector<Summary::ThreadShare> threads;
    for (std::size_t l = 0; l < locations.size(); ++l) {
      if (!counts(locations[l])) continue;
      const auto& location = d_.locations[l];
      threads.push_back({d_.processes[location.process].rank, location.thread, locations[l]});
    }
    std::ranges::stable_sort(threads, std::greater{},
                             [](const auto& share) { return std::abs(share.seconds); });
    return threads;
  }

  // Says where the rank that caused most waiting at call paths of a group computed longer, if
  // samples show it.
  [[nodiscard]] std::string longer(std::uint32_t group,
                                   const std::vector<Summary::RankShare>& ranks) const {
    if (ranks.empty()) return "";
    for (const auto& one : longer_) {
      if (one.group != group) continue;
      const auto rank = d_.processes[d_.locations[one.longer.location].process].rank;
      if (rank != ranks.front().rank) continue;
      return longer_text(one.longer, names_between(d_, one.call_path, one.within));
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
      found = {rank, d_.locations[l].thread, locations[l]};
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
    cause.ranks = by_rank(costs.locations);
    cause.spread = places_.spread(cause.ranks);
    return cause;
  }

  [[nodiscard]] Summary::Cause cause(GroupCosts costs) const {
    Summary::Cause cause = group_of(costs);
    cause.how = how(cause.members, cause.ranks);
    cause.thread = thread(cause, costs.locations);
    if (cause.thread) {
      const auto& [rank, number, seconds] = *cause.thread;
      const std::string text = "thread " + std::to_string(number) + " of rank " +
                               std::to_string(rank) + " has " +
                               percent(seconds, cause.ranks.front().seconds, 0) + " % of its part";
      cause.how = cause.how.empty() ? text : text + "; " + cause.how;
    }
    return cause;
  }

  void gains(const std::optional<report::Gains>& gains) {
    if (!gains) return;
    out_.replayed = gains->recorded;
    for (const auto& cause : gains->causes) {
      if (cause.call_path >= d_.call_paths.size()) continue;
      out_.gains.push_back(
          {call_path_names(d_, cause.call_path), cause.balanced, cause.faster, cause.curve});
    }
  }

  // Adds the delay costs of a metric to the groups of their call paths. Costs while recording was
  // off are added to `unrecorded`.
  void add_costs(std::uint32_t metric, std::map<std::uint32_t, GroupCosts>& groups,
                 double& unrecorded) {
    const auto values = report_.values(metric);
    if (!values) {
      problem_ = values.problem();
      return;
    }
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      const double seconds = std::accumulate(row.begin(), row.end(), 0.0);
      if (d_.regions[d_.call_paths[c].region].name == "MEASUREMENT OFF") {
        unrecorded += seconds;  // it is unknown what the program did there
      } else if (counts(seconds)) {
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

  void causes() {
    const auto delays = report_.find("delay_mpi");
    if (delays == report::kNone) return;
    std::map<std::uint32_t, GroupCosts> groups;  // in the order of the report
    add_costs(delays, groups, out_.unknown_cause);
    if (problem_) return;
    out_.knows_causes = true;
    for (auto& [group, costs] : groups) out_.causes.push_back(cause(std::move(costs)));
    cut_to_largest(out_.causes);
    if (report_.extras().results) gains(report_.extras().results->gains);
    const bool off = out_.unknown_cause > 0;
    unknown_causes();
    if (out_.unknown_cause > 0) out_.unknown_cause_reasons = why_unknown(off);
    delay_reasons();
  }

  // Divides waiting without a known cause into that of processes and that of threads, in the ratio
  // of their wait states where it was.
  void unknown_causes() {
    const auto unknown = report_.find("delay_unknown");
    if (unknown == report::kNone) return;
    const auto values = report_.values(unknown);
    if (!values) {
      problem_ = values.problem();
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

  // Finds the call paths that made threads wait for threads of their own process.
  void thread_causes() {
    std::map<std::uint32_t, GroupCosts> groups;
    for (const char* name : {"delay_omp", "delay_pthread"}) {
      const auto delays = report_.find(name);
      if (delays != report::kNone) add_costs(delays, groups, out_.unknown_thread_cause);
    }
    for (auto& [group, costs] : groups) {
      out_.thread_causes.push_back(group_of(costs));
      out_.thread_causes.back().threads = by_thread(costs.locations);
    }
    cut_to_largest(out_.thread_causes);
  }

  void delay_reasons() {
    for (const auto& metric : d_.metrics) {
      if (metric.parent != "delay_reasons") continue;
      const double seconds = totals(metric.name).all;
      double rest = seconds;  // without its parts, which take its place
      for (const auto& part : d_.metrics) {
        if (part.parent != metric.name) continue;
        const double own = totals(part.name).all;
        if (counts(own)) out_.delay_reasons.push_back({part.name, part.display, own});
        rest -= own;
      }
      constexpr double kRounding = 1e-9;
      if (std::abs(rest) < kRounding * std::abs(seconds)) continue;
      if (counts(rest)) {
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

  [[nodiscard]] bool is_leaf(const std::string& name) const {
    return std::none_of(d_.metrics.begin(), d_.metrics.end(),
                        [&](const auto& metric) { return metric.parent == name; });
  }

  void metahost_pair(const patterns::Metric& metric) {
    const double seconds = totals(metric.name).all;
    if (!counts(seconds)) return;
    const auto parent = report_.find(metric.parent);
    out_.metahost_pairs.push_back({metric.name, metric.display,
                                   parent == report::kNone ? "" : d_.metrics[parent].display,
                                   seconds});
  }

  report::Report& report_;
  const report::Definitions& d_;
  const CauseGroups groups_;
  const std::vector<LongerInGroup> longer_;
  Summary out_;
  RankPlaces places_;
  std::optional<Problem> problem_;
};

}  // namespace

std::string why_partial(const Summary& summary) {
  if (!summary.partial) return "";
  constexpr std::size_t kMost = 2;  // the notes have all of them
  std::string why;
  std::size_t count = 0;
  for (const auto& note : summary.quality) {
    if (!note.partial || ++count > kMost) continue;
    why += (why.empty() ? "" : "; ") +
           with_commas(static_cast<std::uint64_t>(std::max<std::int64_t>(note.count, 0))) + " " +
           note.text.substr(0, note.text.find(':'));
  }
  if (count == 0) return "something is missing";
  return count > kMost ? why + "; and more" : why;
}

Result<Summary> summarize(report::Report& report) { return Summarizer(report).run(); }

}  // namespace latecomer::view
