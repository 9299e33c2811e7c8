// SPDX-License-Identifier: BSD-3-Clause
// The phases of the analysis in order. Each process works on the locations that it hosts. Phases
// that can fail end in an agreement, so that all processes return the same Problem.
#include "analyzer/replay/analysis.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "analyzer/attribution/causes.hpp"
#include "analyzer/attribution/computation/compare_computation.hpp"
#include "analyzer/attribution/computation/computation_profile.hpp"
#include "analyzer/attribution/computation/computation_shares.hpp"
#include "analyzer/attribution/computation/delay_reason_booking.hpp"
#include "analyzer/attribution/efficiency.hpp"
#include "analyzer/attribution/imbalance_booking.hpp"
#include "analyzer/booking/file_uses.hpp"
#include "analyzer/clocks/clock_extras.hpp"
#include "analyzer/clocks/corrected_archive.hpp"
#include "analyzer/clocks/latencies.hpp"
#include "analyzer/clocks/new_directories.hpp"
#include "analyzer/clocks/retime.hpp"
#include "analyzer/clocks/shared_clocks.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/match/persistent.hpp"
#include "analyzer/match/visibility.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/agreement.hpp"
#include "analyzer/predict/gains.hpp"
#include "analyzer/predict/prediction.hpp"
#include "analyzer/predict/run_limits.hpp"
#include "analyzer/replay/endings.hpp"
#include "analyzer/replay/extras.hpp"
#include "analyzer/replay/report_definitions.hpp"
#include "analyzer/replay/statistics_output.hpp"
#include "analyzer/scenes/scenes.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/definitions/clock_measurements.hpp"
#include "analyzer/trace/events/handed_requests.hpp"
#include "analyzer/waits/waits.hpp"

namespace latecomer::replay {
namespace {

// Measures the phases and reports the end of each.
class PhaseClock {
 public:
  PhaseClock(std::vector<Phase>& phases, const std::function<void(const std::string&)>& ended)
      : phases_(phases), ended_(ended) {}
  void done(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    phases_.push_back({name, std::chrono::duration<double>(now - last_).count()});
    last_ = now;
    if (ended_) ended_(name);
  }

 private:
  std::vector<Phase>& phases_;
  const std::function<void(const std::string&)>& ended_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Reads the locations one after the other, since the call tree needs them in ascending order.
std::vector<trace::LocationEvents> read_locations(trace::ArchiveReader& archive,
                                                  const std::vector<std::uint32_t>& columns,
                                                  trace::CallTree& tree, const Options& options) {
  const auto& locations = archive.definitions().locations;
  std::uint64_t all = 0, done = 0;
  for (const auto l : columns) all += locations[l].events;
  std::vector<trace::LocationEvents> mine;
  mine.reserve(columns.size());
  for (const auto l : columns) {
    mine.push_back(archive.read(l, tree, [&](std::uint64_t more) {
      done += more;
      if (options.progress) options.progress(Work::kReading, done, all);
    }));
  }
  trace::join_requests(archive.definitions(), mine);
  return mine;
}

// Reads the locations of the hosted processes that are no threads.
std::vector<trace::OtherEvents> read_others(trace::ArchiveReader& archive,
                                            const Partition& partition, int rank) {
  std::vector<trace::OtherEvents> others;
  const auto& locations = archive.definitions().other_locations;
  for (std::uint32_t l = 0; l < locations.size(); ++l) {
    if (partition.host_of(locations[l].process) == rank) others.push_back(archive.read_other(l));
  }
  return others;
}

// Keeps all metrics except pairs of metahosts of which neither ever waited for the other.
// Collective.
void keep_used_metrics(const patterns::MetricTree& metrics, Analysis& analysis,
                       parallel::Processes& processes) {
  std::vector<std::uint64_t> used(metrics.size());
  for (patterns::MetricId id = 0; id < used.size(); ++id) {
    used[id] = analysis.severities.used(id) ? 1 : 0;
  }
  processes.bit_or(used);
  const auto pairs = metrics.id("metahost_pairs");
  std::vector<bool> keep(metrics.size(), true);
  std::vector<patterns::Metric> kept;
  for (patterns::MetricId id = 0; id < used.size(); ++id) {
    const auto parent = metrics.parent(id);
    const bool pair = parent != patterns::MetricTree::kNone &&
                      pairs != patterns::MetricTree::kNone && metrics.parent(parent) == pairs;
    keep[id] = !pair || used[id] != 0;
    if (keep[id]) kept.push_back(metrics[id]);
  }
  analysis.severities.keep(keep);
  analysis.definitions.metrics = std::move(kept);
}

// Replaces the archive's clock offsets if local times or another scheme are wanted. A Problem is
// the same on every process.
Status choose_times(trace::ArchiveReader& archive, const CorrectionOptions& options) {
  const auto& definitions = archive.definitions();
  if (options.most == TimeCorrection::kNone) {
    archive.replace_clock_offsets(std::vector<sync::PiecewiseLinear>(definitions.locations.size()));
  } else if (options.scheme) {
    auto functions = trace::times_by_scheme(definitions, *options.scheme);
    if (!functions) return functions.problem();
    archive.replace_clock_offsets(std::move(*functions));
  }
  return success();
}

// A Problem if a pattern fits no call path, which is found before the work begins.
Status check_patterns(const WhatIf& what_if, const report::Definitions& definitions) {
  for (const auto& change : what_if.changes) {
    if (change.pattern.empty()) continue;
    if (const auto chosen = what_if.choose(definitions, change.pattern); !chosen)
      return chosen.problem();
  }
  return success();
}

void name_call_paths(report::Prediction::Limits& limits, const report::Definitions& definitions) {
  for (auto* list : {&limits.path, &limits.waits, &limits.causes}) {
    for (auto& limit : *list) {
      for (auto c = limit.call_path; c != report::kNone; c = definitions.call_paths[c].parent) {
        limit.names.push_back(definitions.regions[definitions.call_paths[c].region].name);
      }
      std::ranges::reverse(limit.names);
    }
  }
}

}  // namespace

// The main phases, and what each produces:
//
//   definitions   archive, visibility, partition
//   events        the hosted locations and their call tree
//   matching      global call tree, messages, numbers of collective operations
//   waits         severities, sync points; after a correction of the clocks once more
//   causes        delay costs, critical path, efficiencies
//   summary       scenes and extras of the report
//   limits        waits and causes of a changed run, if one is predicted
Result<Analysis> analyze(const std::filesystem::path& experiment, const Options& options,
                         parallel::Processes& processes) {
  std::vector<Phase> phases;
  PhaseClock clock(phases, options.ended);

  if (!options.write_corrected.empty()) {
    if (Status free = NewDirectories::check(options.write_corrected, processes); !free)
      return free.problem();
  }
  auto archive = trace::ArchiveReader::open(experiment);
  if (Status agreed = parallel::agree(processes, archive ? success() : Status(archive.problem()));
      !agreed) {
    return agreed.problem();
  }
  if (Status same = check_same_archive(archive->fingerprint(), experiment.string(), processes);
      !same) {
    return same.problem();
  }
  const trace::Definitions& definitions = archive->definitions();
  const Visibility visibility = agree_on_visibility(archive->event_files(), processes);
  const Partition partition(definitions, visibility);
  const auto columns = partition.locations_of(definitions, processes.rank());
  archive->select(columns);
  if (Status chosen = choose_times(*archive, options.correction); !chosen) return chosen.problem();
  clock.done("definitions");

  trace::CallTree local_tree(definitions.program_region);
  auto mine = read_locations(*archive, columns, local_tree, options);
  const auto others = read_others(*archive, partition, processes.rank());
  const auto end = end_of_run(definitions, mine, processes);
  for (auto& events : mine) events.close(end);
  clock.done("events");

  const auto tree = trace::unify(local_tree, processes);
  if (options.what_if) {
    if (Status fits = check_patterns(*options.what_if, report_definitions(definitions, tree));
        !fits)
      return fits.problem();
  }
  std::optional<MatchedMessages> matched;
  MatchedMessages& messages = matched.emplace(definitions, partition, mine, processes);
  separate_persistent(archive->definitions(), mine, processes);
  const CountedByAll counted = count_instances(definitions, mine, processes);
  clock.done("matching");

  const patterns::MetricTree metrics(computed_metrics(definitions, options.scalasca_compatible));
  const auto topology = find_topology(definitions, options.correction, mine, messages, processes);
  // Computes the waits. The second value is false if the clocks look wrong and the waits are
  // therefore incomplete.
  const auto find_waits = [&](bool only_trusted) {
    auto waits = std::make_unique<Waits>(
        definitions, tree, metrics, topology, partition, mine,
        WaitOptions{options.scalasca_compatible, options.eager_limit, counted}, processes);
    const bool found = waits->find(messages, only_trusted);
    clock.done(found ? "waits" : "clock check");
    return std::pair(std::move(waits), found);
  };
  // If the clocks turn out wrong, all waits are computed again with corrected times. That is
  // cheaper than a separate check of every trace.
  const bool may_correct = !options.scalasca_compatible;
  auto [waits, found] = find_waits(may_correct);
  Correction correction;
  if (waits->suspicious() && may_correct) {
    correction =
        correct_times(definitions, partition, topology, shared_clocks(*archive, columns, processes),
                      options.correction.most, mine, messages, processes);
    clock.done("clocks");
    if (correction.moved || !found) {
      waits.reset();
      waits = find_waits(false).first;
    }
  }

  Status corrected = success();
  std::int64_t unknown = 0;
  if (!options.write_corrected.empty()) {
    corrected =
        write_corrected({*archive, partition, mine, topology, options.correction, correction},
                        options.write_corrected, unknown, processes);
    clock.done("corrected");
  }

  std::optional<report::Compensation> compensation;
  if (options.overhead.method != predict::OverheadMethod::kNone) {
    const auto costs =
        event_costs(definitions, tree, mine, options.overhead.nanoseconds, processes);
    if (!costs) return costs.problem();
    const auto recorded_messages = waits->message_statistics().result(processes);
    waits->points().connect(processes);
    compensation = predict::compensate({{waits->booking(), messages, waits->senders(),
                                         waits->unmatched_collectives(), waits->points()},
                                        topology,
                                        recorded_messages,
                                        options.progress},
                                       *costs, options.overhead.method, partition, mine, processes);
    clock.done("overhead");
    // In the run without overhead. `messages` refers to the new object.
    waits.reset();
    matched.emplace(definitions, partition, mine, processes);
    waits = find_waits(false).first;
  }

  auto message_statistics = waits->message_statistics().result(processes);
  auto arrivals = waits->arrivals().result(processes);
  // The single values of waits are not needed any more, and the next phases need their memory.
  const auto statistics =
      std::exchange(waits->booking().statistics, Statistics(metrics.size())).find(processes);
  memory::trim_heap();
  clock.done("statistics");

  if (!options.scalasca_compatible) {
    add_without_partner(waits->points(), messages.unmatched(), waits->unmatched_collectives());
  }
  waits->points().connect(processes);
  const Recorded recorded{waits->booking(), messages, waits->senders(),
                          waits->unmatched_collectives(), waits->points()};
  Efficiency efficiency(recorded, options.progress, processes);
  const DelayParts delay_parts = book_causes(
      waits->booking(), waits->points(), efficiency.ideal_network(), options.progress, processes);
  auto efficiencies = efficiency.result(processes);
  book_imbalance(waits->booking(), processes);
  // Last, since all others compare the times that call paths have themselves.
  const ComputationShares shares(waits->booking());
  const ComputationParts parts(waits->booking(), shares);
  book_delay_reasons(waits->booking(), parts, delay_parts, processes);
  auto longer_computation = compare_computation(waits->booking(), parts, delay_parts, processes);
  auto uses_of_files = file_uses(waits->booking(), processes);
  auto computation = computation_profile(waits->booking(), shares, processes);
  clock.done("causes");
  const predict::Run predicted_run{recorded, topology, message_statistics, options.progress};
  std::optional<predict::Predicted> prediction;
  std::optional<predict::Limits> limits;
  std::optional<report::Gains> gains;
  if (options.what_if) {
    const auto paths = report_definitions(definitions, tree);
    auto predicted = predict::predict(
        predicted_run, shares, options.what_if->changes,
        [&](const std::string& pattern) { return options.what_if->choose(paths, pattern); },
        partition, processes);
    if (!predicted) return predicted.problem();
    prediction = std::move(*predicted);
    limits = predict::find_limits(waits->booking(), processes);
    clock.done("prediction");
  } else if (!options.scalasca_compatible && options.timeline.file.empty()) {
    gains = predict::find_gains(predicted_run, processes);
    clock.done("prediction");
  }
  shares.book(waits->booking());
  Result<TimelineCounts> timeline = TimelineCounts{};
  if (!options.timeline.file.empty()) {
    timeline = write_timeline({definitions, tree, mine, messages, waits->points()},
                              options.timeline, processes);
    clock.done("timeline");
  }

  auto slices = waits->booking().slices.result(
      metrics, static_cast<double>(definitions.ticks_per_second), processes);
  auto scenes =
      find_scenes({definitions, tree, mine, messages, waits->points()}, statistics, processes);
  clock.done("scenes");

  auto unseen = unseen_events(definitions, visibility);
  auto extras =
      collect_extras({definitions, tree, mine, waits->booking().quality(), messages.unmatched(),
                      waits->unmatched_collectives(), options.scalasca_compatible,
                      clock_notes(definitions, correction), unseen, others},
                     processes);
  Analysis out{report_definitions(definitions, tree),
               waits->booking().take(),
               statistics_text(statistics, metrics, definitions.ticks_per_second),
               columns,
               extras.partial,
               {},
               0,
               extras.run.events};
  auto& results = *extras.results;
  if (compensation) {
    extras.quality.push_back(
        {"overhead_taken_out", compensation->stretches, compensation->text(), false, {}});
  }
  results.compensation = std::move(compensation);
  results.clocks = clock_results(definitions, topology, correction);
  if (options.correction.scheme) {
    results.clocks->scheme = sync::name(*options.correction.scheme);
  }
  results.collectives = std::move(arrivals);
  results.computation = std::move(computation);
  results.file_uses = std::move(uses_of_files.listed);
  results.other_file_uses = uses_of_files.others;
  results.gains = std::move(gains);
  results.longer_computation = std::move(longer_computation);
  results.efficiency = std::move(efficiencies);
  results.messages = std::move(message_statistics);
  results.statistics = wait_statistics(statistics, metrics, definitions.ticks_per_second);
  add_scenes(std::move(scenes), statistics, metrics, results.statistics);
  results.time_slices = std::move(slices);
  out.definitions.extras = std::make_shared<const report::Extras>(std::move(extras));
  out.notes = std::move(unseen);
  out.not_copied = unknown;
  out.corrected = std::move(corrected);
  out.timeline = std::move(timeline);
  out.sees_first = sees_first(definitions, visibility, processes.rank());
  for (const auto& events : mine) out.own_events += events.events;
  keep_used_metrics(metrics, out, processes);
  clock.done("summary");
  // The limits of the changed run. Nothing of the recorded run is needed any more.
  if (prediction) {
    for (std::size_t l = 0; l < mine.size(); ++l) retime(mine[l], prediction->times[l]);
    waits.reset();
    matched.emplace(definitions, partition, mine, processes);
    waits = find_waits(false).first;
    if (!options.scalasca_compatible) {
      add_without_partner(waits->points(), messages.unmatched(), waits->unmatched_collectives());
    }
    waits->points().connect(processes);
    book_causes(waits->booking(), waits->points(), nullptr, options.progress, processes);
    out.prediction = std::move(prediction->prediction);
    out.prediction->limits = predict::compare(
        *limits, predict::find_limits(waits->booking(), processes), waits->booking());
    name_call_paths(*out.prediction->limits, out.definitions);
    clock.done("limits");
  }
  out.phases = std::move(phases);
  return out;
}

}  // namespace latecomer::replay
