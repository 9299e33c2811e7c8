// SPDX-License-Identifier: BSD-3-Clause
// A random MPI program on true time, seen through clocks that are off: in memory, no archive.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/replay/shared_clocks.hpp"
#include "analyzer/trace/location_builder.hpp"
#include "sync/constraints.hpp"

namespace latecomer::test {

// A time in the events of a process: LocationEvents::sends[index].time and so on; of the window
// events the time, or the enter of their call.
struct Point {
  enum Kind : std::uint32_t { kSend, kReceive, kBegin, kEnd, kStep, kStepEnter } kind = kSend;
  std::uint32_t process = 0, index = 0;
};

// What MPI guarantees: `to` is at least the minimum latency later than `from`.
struct Guarantee {
  Point from, to;
};

// 2 to 64 processes on nodes and metahosts; blocking, nonblocking and persistent messages,
// completed one by one, by tests, and all at once, and asked for by probes before they are
// received, collective operations of all kinds (neighborhoods included) on the world, parts of it
// and between parts, fences and epochs of one-sided communication, and calls on files of the world
// (handle 0, MPI_File_write_all) and of every second process (handle 1, MPI_File_open).
class RandomRun {
 public:
  // With exact clocks nothing is violated.
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
