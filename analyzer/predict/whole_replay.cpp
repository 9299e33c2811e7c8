// SPDX-License-Identifier: BSD-3-Clause
// Gathers steps, and replays them as often as somebody asks.
#include "analyzer/predict/whole_replay.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace latecomer::predict {
namespace {

using engine::StepReplay;
using replay::Booking;
using replay::kWaitGroups;
using trace::Ticks;

// True for locations that need others or are needed by them, or are the first of their process.
// Collective.
std::vector<bool> locations_that_count(const Booking& booking, parallel::Processes& processes) {
  const auto& definitions = booking.definitions;
  std::vector<std::int64_t> counts(definitions.locations.size());
  for (const auto& events : booking.mine) {
    const auto& process = definitions.processes[definitions.locations[events.location].process];
    if (events.location == process.locations.front() || events.sends.size() > 0 ||
        events.receives.size() > 0 || events.collectives.size() > 0) {
      counts[events.location] = 1;
    }
  }
  processes.sum(counts);
  std::vector<bool> out;
  for (const auto count : counts) out.push_back(count > 0);
  return out;
}

}  // namespace

replay::TransferTimes transfer_times(const report::Messages& messages, double second, Model model,
                                     Ticks overhead) {
  replay::TransferTimes times;
  for (const auto& one : messages.sizes) {
    if (!one.times) continue;
    const auto link = one.link == std::string_view("node")       ? sync::LinkClass::kNode
                      : one.link == std::string_view("metahost") ? sync::LinkClass::kMetahost
                                                                 : sync::LinkClass::kExternal;
    const double seconds = model == Model::kLeast ? one.times->shortest : one.times->mean;
    times.add(link, one.from_bytes, std::max<Ticks>(0, std::llround(seconds * second) - overhead));
  }
  return times;
}

// Nodes and metahosts contain each other, so the links of the first member tell.
std::vector<sync::LinkClass> slowest_links(const trace::Definitions& definitions,
                                           const sync::Topology& topology) {
  std::vector<sync::LinkClass> links;
  for (const auto& comm : definitions.comms) {
    auto slowest = sync::LinkClass::kNode;
    for (const auto member : comm.members) {
      if (member >= topology.node.size() || comm.self) continue;
      slowest = std::max(slowest, topology.link(comm.members[0], member));
      if (slowest == sync::LinkClass::kExternal) break;
    }
    links.push_back(slowest);
  }
  return links;
}

WholeReplay::WholeReplay(const Run& run, const replay::WholeRun& whole,
                         parallel::Processes& processes)
    : booking_(run.recorded.booking),
      processes_(processes),
      counts_(locations_that_count(run.recorded.booking, processes)) {
  replay::IdealNetwork network(run.recorded, {}, run.progress, processes, &whole);
  host_ = network.host();
  steps_ = network.gather(processes);
  if (whole.keeps_calls) {
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
      const auto calls = network.needing_calls(l);
      needing_calls_.emplace_back(calls.begin(), calls.end());
    }
  }
  recorded_ = replay(StepReplay::Mode::kFit, {});
}

Replayed WholeReplay::with(const engine::Durations& durations) {
  return replay(StepReplay::Mode::kChanged, durations);
}

Replayed WholeReplay::replay(StepReplay::Mode mode, const engine::Durations& durations) {
  const auto& definitions = booking_.definitions;
  const std::size_t locations = definitions.locations.size();
  Replayed out;
  out.ends.resize(locations);
  out.waits.resize(locations * kWaitGroups);
  if (processes_.rank() == host_) {
    StepReplay replay(definitions, static_cast<std::uint32_t>(definitions.processes.size()), mode,
                      std::move(steps_), durations);
    replay.finish();
    for (std::uint32_t l = 0; l < locations; ++l) {
      out.ends[l] = replay.end(l);
      for (std::size_t g = 0; g < kWaitGroups; ++g) {
        out.waits[l * kWaitGroups + g] = replay.waits(l, g);
      }
    }
    out.dropped = replay.dropped();
    steps_ = replay.take_steps();
  }
  processes_.sum(out.ends);
  processes_.sum(out.waits);
  out.dropped = processes_.sum(out.dropped);
  return out;
}

std::vector<std::vector<engine::CallTimes>> WholeReplay::calls(const engine::Durations& durations,
                                                               const replay::Partition& partition) {
  const auto& definitions = booking_.definitions;
  const auto locations = definitions.locations.size();
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes_.size()));
  if (processes_.rank() == host_) {
    StepReplay replay(definitions, static_cast<std::uint32_t>(definitions.processes.size()),
                      StepReplay::Mode::kChanged, std::move(steps_), durations);
    replay.keep_calls();
    replay.finish();
    for (std::uint32_t l = 0; l < locations; ++l) {
      auto& pack =
          packs[static_cast<std::size_t>(partition.host_of(definitions.locations[l].process))];
      pack.put(l);
      pack.put_all(std::span<const engine::CallTimes>(replay.calls(l)));
    }
    steps_ = replay.take_steps();
  }
  std::vector<std::vector<engine::CallTimes>> calls(booking_.mine.size());
  for (const auto& bytes : processes_.exchange(parallel::take_all(packs))) {
    parallel::Unpacker in(bytes);
    // Locations come in ascending order, as they are hosted.
    for (std::size_t mine = 0; !in.done();) {
      const auto l = in.get<std::uint32_t>();
      while (booking_.mine[mine].location != l) ++mine;
      in.get_all(calls[mine]);
    }
  }
  return calls;
}

engine::Graded WholeReplay::graded_end(const engine::Durations& durations) {
  const auto& definitions = booking_.definitions;
  engine::Graded end;
  if (processes_.rank() == host_) {
    engine::GradedReplay replay(definitions,
                                static_cast<std::uint32_t>(definitions.processes.size()),
                                StepReplay::Mode::kChanged, std::move(steps_), durations);
    replay.finish();
    for (std::uint32_t l = 0; l < counts_.size(); ++l) {
      if (counts_[l]) end = std::max(end, replay.end(l));
    }
    steps_ = replay.take_steps();
  }
  std::vector<Ticks> all{end.at};  // 0 on the other processes
  all.insert(all.end(), end.of_rate.begin(), end.of_rate.end());
  processes_.sum(all);
  end.at = all.front();
  std::copy(all.begin() + 1, all.end(), end.of_rate.begin());
  return end;
}

Ticks WholeReplay::end(const Replayed& run) const {
  Ticks end = 0;
  for (std::size_t l = 0; l < run.ends.size(); ++l) {
    if (counts_[l]) end = std::max(end, run.ends[l]);
  }
  return end;
}

}  // namespace latecomer::predict
