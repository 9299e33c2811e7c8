// SPDX-License-Identifier: BSD-3-Clause
// A random MPI program on true time, recorded with wrong clocks: in memory, without an archive.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/clocks/shared_clocks.hpp"
#include "analyzer/trace/events/location_builder.hpp"
#include "sync/constraints.hpp"

namespace latecomer::test {

// A time in the events of a process, such as LocationEvents::sends[index].time. For window events
// it is the time itself or the enter of their call.
struct Point {
  enum Kind : std::uint32_t { kSend, kReceive, kBegin, kEnd, kStep, kStepEnter } kind = kSend;
  std::uint32_t process = 0, index = 0;
};

// A guarantee of MPI: `to` is at least the minimum latency later than `from`.
struct Guarantee {
  Point from, to;
};

// 2 to 64 processes on nodes and metahosts. Messages are blocking, nonblocking or persistent; they
// are completed one by one, by tests, or all at once, and some are probed for before they are
// received. Collective operations of all kinds (neighborhoods included) run on the world, on parts
// of it and between parts. There are fences and epochs of one-sided communication. Files are called
// by the world (handle 0, MPI_File_write_all) and by every second process (handle 1,
// MPI_File_open).
class RandomRun {
 public:
  // Exact clocks violate nothing.
  RandomRun(unsigned seed, bool exact_clocks);

  [[nodiscard]] const trace::Definitions& definitions() const { return definitions_; }
  [[nodiscard]] const sync::Topology& topology() const { return topology_; }
  [[nodiscard]] const replay::SharedClocks& clocks() const { return clocks_; }
  [[nodiscard]] const std::vector<Guarantee>& guarantees() const { return guarantees_; }
  // The events of these locations, as if they had been read.
  [[nodiscard]] std::vector<trace::LocationEvents> read(
      const std::vector<std::uint32_t>& locations) const;
  [[nodiscard]] std::vector<trace::LocationEvents> read(const std::vector<std::uint32_t>& locations,
                                                        trace::CallTree& tree) const;

 private:
  using Ticks = sync::Ticks;
  using Build = std::function<void(trace::LocationBuilder&)>;
  class Script;

  trace::Definitions definitions_;
  sync::Topology topology_;
  replay::SharedClocks clocks_;
  std::vector<std::vector<Build>> events_;  // per process
  std::vector<Guarantee> guarantees_;
};

}  // namespace latecomer::test
