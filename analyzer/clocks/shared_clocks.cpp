// SPDX-License-Identifier: BSD-3-Clause
// Recognizes shared clocks by the hash of their offsets.
#include "analyzer/clocks/shared_clocks.hpp"

#include <map>
#include <utility>

#include "archive/hash.hpp"

namespace latecomer::replay {
namespace {

std::uint64_t hash_of(const std::vector<trace::ClockOffset>& offsets) {
  std::uint64_t h = offsets.size();
  for (const auto& o : offsets) {
    for (const std::uint64_t part : {o.time, static_cast<std::uint64_t>(o.offset)}) {
      h = hash_with(h, part);
    }
  }
  return h;
}

// First and last measurement in corrected times, like those of events.
sync::Measured measured(const std::vector<trace::ClockOffset>& offsets, std::uint64_t first_tick) {
  const auto time = [&](const trace::ClockOffset& o) {
    return static_cast<sync::Ticks>(o.time) + o.offset - static_cast<sync::Ticks>(first_tick);
  };
  if (offsets.empty()) return {};
  return {time(offsets.front()), time(offsets.back())};
}

}  // namespace

SharedClocks shared_clocks(const trace::ArchiveReader& archive,
                           const std::vector<std::uint32_t>& columns,
                           parallel::Processes& processes) {
  const auto& definitions = archive.definitions();
  // Clock of a process, by the hash of its offsets.
  struct Clock {
    std::uint64_t hash = 0;
    sync::Measured measured;
  };
  parallel::Packer pack;
  for (const auto l : columns) {
    if (definitions.locations[l].thread != 0) continue;
    const auto& offsets = archive.clock_offsets(l);
    pack.put(definitions.locations[l].process);
    pack.put(Clock{hash_of(offsets), measured(offsets, definitions.first_tick)});
  }
  std::vector<Clock> clocks(definitions.processes.size());
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto process = in.get<std::uint32_t>();
      clocks[process] = in.get<Clock>();
    }
  }
  SharedClocks out;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers;
  for (std::uint32_t p = 0; p < clocks.size(); ++p) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const auto [it, fresh] =
        numbers.try_emplace({definitions.processes[p].node, clocks[p].hash}, next);
    out.clock_of.push_back(it->second);
    if (fresh) out.measured.push_back(clocks[p].measured);
  }
  return out;
}

}  // namespace latecomer::replay
