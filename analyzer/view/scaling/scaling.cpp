// SPDX-License-Identifier: BSD-3-Clause
// Gathers call paths of all runs by their names, and fits a law to each.
#include "analyzer/view/scaling/scaling.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

using report::Report;
using Names = std::vector<std::string>;

double sum_of(std::span<const double> row) { return std::accumulate(row.begin(), row.end(), 0.0); }

// Times of all call paths in all ranks, by names. The root of a report is the program, whose name
// may differ between runs.
Result<std::map<Names, double>> times_of(Report& report) {
  const auto& d = report.definitions();
  if (const auto can = can_name_all(d); !can) return can.problem();
  const auto values = report.values(report.find("time"));
  if (!values) return values.problem();
  std::map<Names, double> times;
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    auto names = call_path_names(d, c);
    if (d.regions[d.call_paths[c].region].paradigm != "measurement" && !names.empty()) {
      times[std::move(names)] += sum_of((*values)->row(c));
    }
  }
  return times;
}

Result<double> total_of(Report& report, const char* metric) {
  const auto values = report.values(report.find(metric));
  if (!values) return values.problem();
  double sum = 0;
  for (std::uint32_t c = 0; c < report.definitions().call_paths.size(); ++c) {
    sum += sum_of((*values)->row(c));
  }
  return sum;
}

Result<ScalingRun> run_of(Report& report) {
  const auto& extras = report.extras();
  if (!extras.origin.name.empty() && extras.origin.name != "mean") {
    return Problem{report.file() + " is no run, but the " + extras.origin.name + " of others",
                   "give reports of runs, or means of runs of one size", Exit::kUsage};
  }
  ScalingRun run;
  run.file = report.file();
  run.program = extras.program.name;
  run.ranks = report.definitions().processes.size();
  run.run_time = extras.run.duration;
  const auto time = total_of(report, "time");
  if (!time) return time.problem();
  if (run.ranks == 0 || !(*time > 0)) {
    return Problem{report.file() + " has no ranks, or no time", "give reports of runs"};
  }
  if (!(run.run_time > 0)) run.run_time = *time / static_cast<double>(run.ranks);
  const auto computation = total_of(report, "comp");
  if (!computation) return computation.problem();
  run.computation = *computation;
  if (extras.results && extras.results->efficiency) {
    const auto& efficiency = *extras.results->efficiency;
    run.efficiency = efficiency.ratios.parallel;
    run.load_balance = efficiency.ratios.load_balance;
    run.communication = efficiency.ratios.communication;
    run.serialization = efficiency.ideal.serialization;
    run.transfer = efficiency.ideal.transfer;
  }
  return run;
}

// True if the whole computation stays rather than that of a rank. From the smallest to the largest
// run, p times as large: 1 means it stays, p that it grows with the ranks; in between the root of p
// decides.
bool looks_strong(const ScalingRun& small, const ScalingRun& large) {
  if (!(small.computation > 0)) return true;
  const double grown = large.computation / small.computation;
  return grown * grown < static_cast<double>(large.ranks) / static_cast<double>(small.ranks);
}

// MPI_Init and MPI_Finalize, of which efficiencies know nothing.
bool is_start_or_end(const ScalingPath& path) {
  const std::string& name = path.names.back();
  return name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Finalize";
}

void add_notes(Scaling& out) {
  std::set<std::string> programs;
  std::set<std::uint64_t> sizes;
  for (const auto& run : out.runs) {
    programs.insert(run.program);
    sizes.insert(run.ranks);
  }
  if (programs.size() > 1) out.notes.emplace_back("the reports are of different programs");
  if (sizes.size() < 3) {
    out.notes.emplace_back("two sizes give no law: three are needed, five are good");
  } else if (sizes.size() < 5) {
    out.notes.emplace_back("laws from fewer than five sizes are weak: more runs tell more");
  }
  double start_and_end = 0, all = 0, lawless = 0;
  std::size_t without_law = 0;
  for (const auto& path : out.paths) {
    const double seconds = path.seconds.back();
    all += seconds;
    if (is_start_or_end(path)) start_and_end += seconds;
    if (path.law || !(std::ranges::max(path.seconds) > 0)) continue;
    ++without_law;
    lawless += seconds;
  }
  if (start_and_end > 0) {
    out.notes.push_back("MPI_Init and MPI_Finalize are " + percent(start_and_end, all, 1) +
                        " % of the largest run: run times include them, efficiencies do not, and "
                        "they come last among the call paths");
  }
  if (without_law > 0 && sizes.size() >= 3) {
    out.notes.push_back(counted(without_law, "call path") + (without_law == 1 ? " has" : " have") +
                        " no law, since " + (without_law == 1 ? "it takes" : "they take") +
                        " no time in some runs, or times that jump: counted as in the largest run, "
                        "of which " +
                        (without_law == 1 ? "it is " : "they are ") + percent(lawless, all, 1) +
                        " %");
  }
}

// A part that grows is hidden in the run time as long as it is small. So the prediction adds up the
// call paths, and the law of the run time only widens the range.
void predict_run_time(Scaling& out) {
  if (!out.run_time) return;
  double last = 0, predicted = 0;
  LawRange sum;
  for (const auto& path : out.paths) {
    last += path.seconds.back();
    predicted += path.predicted;
    sum.least += path.range.least;
    sum.most += path.range.most;
  }
  if (!(last > 0)) return;
  // The run time is a little more than the mean of the ranks.
  const double scale = out.runs.back().run_time / last;
  const auto whole = out.run_time->range(static_cast<double>(out.next));
  out.predicted = scale * predicted;
  out.range = {std::min(whole.least, scale * sum.least), std::max(whole.most, scale * sum.most)};
}

}  // namespace

double speed_up(const Scaling& scaling, double ranks, double seconds) {
  const ScalingRun& small = scaling.runs.front();
  const double work = scaling.strong ? 1 : ranks / static_cast<double>(small.ranks);
  return small.run_time * work / seconds;
}

Result<Scaling> compare_sizes(const std::vector<Report*>& reports, const ScalingOptions& options) {
  Scaling out;
  std::vector<std::pair<ScalingRun, Report*>> runs;
  for (auto* report : reports) {
    auto run = run_of(*report);
    if (!run) return run.problem();
    runs.emplace_back(std::move(*run), report);
  }
  std::ranges::stable_sort(runs, {}, [](const auto& run) { return run.first.ranks; });
  for (auto& run : runs) out.runs.push_back(run.first);
  if (out.runs.size() < 2 || out.runs.front().ranks == out.runs.back().ranks) {
    return Problem{
        "all runs have " + counted(out.runs.front().ranks, "rank"),
        "give runs on different numbers of ranks; latecomer diff compares two of one size",
        Exit::kUsage};
  }
  const ScalingRun& small = out.runs.front();
  const ScalingRun& large = out.runs.back();
  out.guessed = !options.strong;
  out.strong = options.strong.value_or(looks_strong(small, large));
  out.next = options.next > 0 ? options.next : 2 * large.ranks;
  for (auto& run : out.runs) {
    const double growth =
        out.strong ? 1 : static_cast<double>(run.ranks) / static_cast<double>(small.ranks);
    if (small.computation > 0 && run.computation > 0) {
      run.computation_scaling = small.computation * growth / run.computation;
    }
  }

  const auto next = static_cast<double>(out.next);
  std::vector<ScalingPoint> run_times;
  for (const auto& run : out.runs) {
    run_times.push_back({static_cast<double>(run.ranks), run.run_time});
  }
  out.run_time = fit_law(run_times);

  std::map<Names, std::vector<double>> by_path;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto times = times_of(*runs[r].second);
    if (!times) return times.problem();
    for (const auto& [names, seconds] : *times) {
      auto& of = by_path[names];
      of.resize(runs.size());
      of[r] = seconds / static_cast<double>(out.runs[r].ranks);
    }
  }
  for (auto& [names, seconds] : by_path) {
    ScalingPath path;
    path.names = names;
    path.seconds = std::move(seconds);
    std::vector<ScalingPoint> points;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      points.push_back({static_cast<double>(out.runs[r].ranks), path.seconds[r]});
    }
    path.law = fit_law(points);
    const double size = path.law ? next : static_cast<double>(large.ranks);
    path.ideal = path.seconds.front() * (out.strong ? static_cast<double>(small.ranks) / size : 1);
    path.predicted = path.law ? path.law->best.at(next) : path.seconds.back();
    path.range = path.law ? path.law->range(next) : LawRange{path.predicted, path.predicted};
    out.paths.push_back(std::move(path));
  }
  std::ranges::stable_sort(out.paths, std::ranges::greater(), &ScalingPath::loss);
  std::ranges::stable_partition(out.paths, std::not_fn(is_start_or_end));
  predict_run_time(out);
  add_notes(out);
  return out;
}

}  // namespace latecomer::view
