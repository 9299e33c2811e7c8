// SPDX-License-Identifier: BSD-3-Clause
// Forward part of the controlled logical clock: the least shifts under which no message comes
// early.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sync/constraints.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

struct Jump {
  std::uint32_t process = 0;
  Ticks at = 0;    // uncorrected time of the receive
  Ticks size = 0;  // shift from there on, before it decays
};

// LC' is the least solution of a monotone system of maxima: all shifts start at zero, a receive
// that is too early raises the shift of its process, and what that makes the sends behind it raise,
// until nothing changes. The result does not depend on the order of raising. So constraints may be
// spread over several solvers: each works on its own ones, tells the others the jumps that it
// found, and learns theirs, until nobody finds any more.
//
//   Becker, Rabenseifner, Wolf: Timestamp synchronization for event traces of large-scale
//   message-passing applications (EuroPVM/MPI 2007), after Rabenseifner's controlled logical clock.
class Solver {
 public:
  // `limit`: no shift grows beyond it. Only contradictory constraints (events at equal times that
  // need each other) reach it.
  Solver(const Topology& topology, Decay decay, Ticks limit);

  void add(const Message& message) { messages_.push_back(message); }
  void add(Operation operation) { operations_.push_back(std::move(operation)); }

  // Number of own constraints that the shifts known now violate, by (corrected) receive - send <
  // minimum latency. One per message, one per exit of a collective operation.
  [[nodiscard]] std::int64_t violations() const;

  // Raises shifts until no own constraint is violated; returns the jumps found since the last call.
  [[nodiscard]] std::vector<Jump> propagate();
  // Jumps that others found; the next propagate() sees what follows from them.
  void learn(std::span<const Jump> jumps);

  [[nodiscard]] const std::vector<Shift>& shifts() const { return shifts_; }
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  struct Raised {
    std::uint32_t process;
    Ticks from, to;  // sends between these times may have moved
  };
  struct Entry {  // a participant that sends, in order of process and enter
    std::uint32_t process;
    Ticks enter;
    std::uint32_t operation;
  };

  void index();
  void check(const Message& m);
  void check(const Operation& operation);
  bool raise(std::uint32_t process, Ticks at, Ticks size);
  [[nodiscard]] std::vector<Ticks> bounds(const Operation& operation) const;

  Topology topology_;
  Ticks limit_;
  std::vector<Shift> shifts_;  // per process
  std::vector<Message> messages_;
  std::vector<Operation> operations_;
  std::vector<std::size_t> first_message_;  // per source
  std::vector<Entry> entries_;
  std::deque<Raised> raised_;
  std::vector<Jump> found_;
  bool indexed_ = false;
  bool gave_up_ = false;
};

}  // namespace latecomer::sync
