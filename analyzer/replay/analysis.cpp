// SPDX-License-Identifier: BSD-3-Clause
// The phases in order. Each process works on the locations that it hosts; phases that can fail end
// in an agreement.
#include "analyzer/replay/analysis.hpp"

#include <chrono>

#include "analyzer/parallel/agreement.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/extras.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/partition.hpp"
#include "analyzer/replay/report_definitions.hpp"
#include "analyzer/replay/severity_collector.hpp"
#include "analyzer/trace/archive_reader.hpp"

namespace latecomer::replay {
namespace {

class PhaseClock {
 public:
  explicit PhaseClock(std::vector<Phase>& phases) : phases_(phases) {}
  void done(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    phases_.push_back({name, std::chrono::duration<double>(now - last_).count()});
    last_ = now;
  }

 private:
  std::vector<Phase>& phases_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Reads the locations one after the other: the call tree needs them in ascending order.
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
      if (options.progress) options.progress(done, all);
    }));
  }
  return mine;
}

// Pairs of metahosts of which no one ever waited for the other are not shown. Collective.
void drop_unused_pairs(const patterns::MetricTree& metrics, Analysis& analysis,
                       parallel::Processes& processes) {
  std::vector<std::uint64_t> used(metrics.size());
  for (patterns::MetricId id = 0; id < used.size(); ++id) {
    used[id] = analysis.severities.used(id) ? 1 : 0;
  }
  processes.bit_or(used);
  std::vector<bool> keep(metrics.size(), true);
  std::vector<patterns::Metric> kept;
  for (patterns::MetricId id = 0; id < used.size(); ++id) {
    const auto path = metrics.path(id);
    const bool pair = path.size() == 3 && metrics[path[2]].name == "metahost_pairs";
    keep[id] = !pair || used[id] != 0;
    if (keep[id]) kept.push_back(metrics[id]);
  }
  analysis.severities.keep(keep);
  analysis.definitions.metrics = std::move(kept);
}

}  // namespace

Result<Analysis> analyze(const std::filesystem::path& experiment, const Options& options,
                         parallel::Processes& processes) {
  std::vector<Phase> phases;
  PhaseClock clock(phases);

  auto archive = trace::ArchiveReader::open(experiment);
  if (Status agreed = parallel::agree(processes, archive ? success() : Status(archive.problem()));
      !agreed) {
    return agreed.problem();
  }
  const trace::Definitions& definitions = archive->definitions();
  const Partition partition(definitions, processes.size());
  const auto columns = partition.locations_of(definitions, processes.rank());
  archive->select(columns);
  clock.done("definitions");

  trace::CallTree local_tree(definitions.program_region);
  auto mine = read_locations(*archive, columns, local_tree, options);
  clock.done("events");

  const auto tree = trace::unify(local_tree, processes);
  const patterns::MetricTree metrics(computed_metrics(definitions));
  SeverityCollector collector(definitions, tree, metrics, mine, options.scalasca_compatible);
  collector.add_times_and_counts();
  clock.done("call paths");

  const auto messages = match_messages(
      definitions, partition, mine, processes,
      [&](std::size_t location, const trace::Message& receive, const SentMessage& send) {
        collector.on_message(location, receive, send);
      });
  collector.end_messages();
  clock.done("messages");

  const auto collectives = match_collectives(
      definitions, mine, processes,
      [&](std::size_t location, const trace::Collective& own, const CollectiveSummary& all) {
        collector.on_collective(location, own, all);
      });
  clock.done("collectives");

  auto extras = collect_extras({definitions, tree, mine, collector.quality(), messages, collectives,
                                options.scalasca_compatible},
                               processes);
  Analysis out{report_definitions(definitions, tree, metrics.metrics()),
               collector.take(),
               columns,
               extras.partial,
               {},
               0,
               extras.events};
  out.definitions.extras = std::move(extras.json);
  for (const auto& events : mine) out.own_events += events.events;
  drop_unused_pairs(metrics, out, processes);
  clock.done("summary");
  out.phases = std::move(phases);
  return out;
}

}  // namespace latecomer::replay
