// SPDX-License-Identifier: BSD-3-Clause
// Time of a location outside of MPI, from its first event up to calls in ascending order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Copies are independent; in a loop a copy stays in registers. Outside of MPI the result grows with
// the time of the events, from a base that changes where MPI is left:
//
//   10 program   14 MPI   20 program     base -10; 4 up to 20; then 4 - 20
class TimeOutsideMpi {
 public:
  using Ticks = trace::Ticks;

  // `mpi_nodes`: by node of the call tree, 1 for MPI functions, otherwise 0.
  TimeOutsideMpi(const trace::LocationEvents& events, std::span<const std::uint8_t> mpi_nodes)
      : events_(&events),
        mpi_nodes_(mpi_nodes.data()),
        cursor_(events.timeline),
        at_(events.first),
        base_(trace::difference(0, events.first)) {}

  // Time outside of MPI up to the enter of a call.
  [[nodiscard]] Ticks until_call(std::uint32_t call) { return until(events_->calls[call].enter); }
  [[nodiscard]] Ticks until_end() { return until(events_->last); }

 private:
  Ticks until(Ticks time) {
    at_ = std::max(at_, time);
    // Copies in registers. Sums wrap around, since a trace may contain any times.
    auto base = static_cast<std::uint64_t>(base_), in_mpi = std::uint64_t{in_mpi_ ? 1U : 0U};
    const std::uint8_t* const mpi_nodes = mpi_nodes_;
    cursor_.pass(at_, [&](Ticks change, std::uint32_t node) {
      const std::uint64_t in = mpi_nodes[node];
      base += (in - in_mpi) * static_cast<std::uint64_t>(change);
      in_mpi = in;
    });
    base_ = static_cast<Ticks>(base);
    in_mpi_ = in_mpi != 0;
    return in_mpi_ ? base_ : trace::advanced(base_, at_);
  }

  const trace::LocationEvents* events_;
  const std::uint8_t* mpi_nodes_;
  trace::Timeline::Cursor cursor_;
  Ticks at_, base_;
  bool in_mpi_ = false;
};

// A faster variant for locations whose time in MPI is exactly that of `calls`, which called
// nothing. It does not need the timeline.
class TimeBetweenCalls {
 public:
  using Ticks = trace::Ticks;

  explicit TimeBetweenCalls(const trace::LocationEvents& events)
      : events_(&events), call_(events.calls.begin()), base_(trace::difference(0, events.first)) {}
  [[nodiscard]] Ticks until_call(std::uint32_t call) {
    skip(call);
    return trace::advanced(base_, (*call_).enter);
  }
  [[nodiscard]] Ticks until_end() {
    skip(static_cast<std::uint32_t>(events_->calls.size()));
    return trace::advanced(base_, events_->last);
  }

 private:
  void skip(std::uint32_t calls) {
    for (; skipped_ < calls; ++skipped_, ++call_) {
      const trace::Call call = *call_;
      base_ = trace::difference(base_, trace::difference(call.leave, call.enter));
    }
  }
  const trace::LocationEvents* events_;
  decltype(trace::LocationEvents::calls)::Iterator call_;  // the call after the skipped ones
  std::uint32_t skipped_ = 0;
  Ticks base_;
};

}  // namespace latecomer::replay
