// SPDX-License-Identifier: BSD-3-Clause
// The words of a trace script: at(5), leave(6), to(1), from(0), on(comm), bytes(8), ...
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/trace_model.hpp"

namespace latecomer::test {

// Times are seconds of the local clock, or ticks: at(1.5), at(ticks(1500)).
struct ticks {
  constexpr explicit ticks(Ticks n) : count(n) {}
  Ticks count;
};
class Time {
 public:
  constexpr Time(double seconds) : seconds_(seconds) {}       // NOLINT
  constexpr Time(ticks t) : ticks_(t.count), exact_(true) {}  // NOLINT
  [[nodiscard]] Ticks in(std::uint64_t ticks_per_second) const {
    return exact_ ? ticks_ : std::llround(seconds_ * static_cast<double>(ticks_per_second));
  }

 private:
  double seconds_ = 0;
  Ticks ticks_ = 0;
  bool exact_ = false;
};

// Location of an event: a rank, or a further thread of it.
struct Place {
  constexpr Place(int r, std::uint32_t t = 0)  // NOLINT
      : rank(static_cast<std::uint32_t>(r)), thread(t) {}
  [[nodiscard]] std::uint64_t location() const { return std::uint64_t{thread} << 32 | rank; }
  std::uint32_t rank, thread;
};
constexpr Place thread_of(int rank, std::uint32_t thread) { return {rank, thread}; }

// A communicator of a trace. TraceBuilder makes more of them.
struct Comm {
  std::uint32_t id = 0;
};
inline constexpr Comm world{0};
inline constexpr Comm self{1};

// A window and a group of processes of a trace.
struct Window {
  std::uint32_t id = 0;
  Comm comm = world;
};
struct Group {
  std::uint32_t id = 0;
};

// Handle of a file that all processes of a communicator share.
struct File {
  std::uint32_t id = 0;
  Comm comm = world;
};

// Time that one rank spends in a collective call, in seconds.
struct Span {
  double enter = 0, leave = 0;
  bool absent = false;
};
inline constexpr Span absent{0, 0, true};

// All that the words set for one call.
struct Call {
  std::optional<Time> at, leave;  // leave: by default the same as at
  std::optional<Time> stamp;      // time of the record inside the call, instead of the usual one
  std::optional<std::uint32_t> to, from, root;  // ranks in the communicator
  std::uint32_t tag = 0;
  Comm comm = world;
  std::uint64_t bytes = 8;
  std::optional<std::uint64_t> sent, received;  // of collectives, instead of the usual values
  bool to_all = false, some_empty = false;
  std::optional<std::uint32_t> persistent;  // number of the operation
  bool shared = false, no_epoch = false;
  std::vector<std::uint64_t> requests;
  std::string name;         // name of the region, instead of the usual one
  std::uint64_t calls = 0;  // number and time of calls that the visit stands for
  std::optional<Time> inside;
};

// Each word sets one property. Words are types, so their order does not matter, and a wrong word
// does not compile.
struct at {
  constexpr explicit at(Time t) : time(t) {}
  void set(Call& c) const { c.at = time; }
  Time time;
};
struct leave {
  constexpr explicit leave(Time t) : time(t) {}
  void set(Call& c) const { c.leave = time; }
  Time time;
};
struct stamp {
  constexpr explicit stamp(Time t) : time(t) {}
  void set(Call& c) const { c.stamp = time; }
  Time time;
};
struct to {
  constexpr explicit to(int r) : rank(r) {}
  void set(Call& c) const { c.to = static_cast<std::uint32_t>(rank); }
  int rank;
};
struct from {
  constexpr explicit from(int r) : rank(r) {}
  void set(Call& c) const { c.from = static_cast<std::uint32_t>(rank); }
  int rank;
};
struct root {
  constexpr explicit root(std::uint32_t r) : rank(r) {}
  void set(Call& c) const { c.root = rank; }
  std::uint32_t rank;
};
struct tag {
  constexpr explicit tag(std::uint32_t n) : number(n) {}
  void set(Call& c) const { c.tag = number; }
  std::uint32_t number;
};
struct on {
  constexpr explicit on(Comm c) : comm(c) {}
  void set(Call& c) const { c.comm = comm; }
  Comm comm;
};
// Length of a message. For collectives: count times size of an element at each rank.
struct bytes {
  constexpr explicit bytes(std::uint64_t n) : count(n) {}
  void set(Call& c) const { c.bytes = count; }
  std::uint64_t count;
};
struct sent {
  constexpr explicit sent(std::uint64_t n) : count(n) {}
  void set(Call& c) const { c.sent = count; }
  std::uint64_t count;
};
struct received {
  constexpr explicit received(std::uint64_t n) : count(n) {}
  void set(Call& c) const { c.received = count; }
  std::uint64_t count;
};
// Alltoallv, Alltoallw: the record says that all counts are positive.
struct all_positive {
  void set(Call& c) const { c.to_all = true; }
};
// Operations on neighbors: the record does not say that all counts are positive.
struct some_empty {
  void set(Call& c) const { c.some_empty = true; }
};
// icollective: starts the n-th persistent operation of the communicator (from 0).
struct persistent {
  constexpr explicit persistent(std::uint32_t n) : number(n) {}
  void set(Call& c) const { c.persistent = number; }
  std::uint32_t number;
};
// Locks: shared, not exclusive. Fences: no_epoch ends no epoch.
struct shared {
  void set(Call& c) const { c.shared = true; }
};
struct no_epoch {
  void set(Call& c) const { c.no_epoch = true; }
};
// A request that the call starts or completes. May be given several times, in array order.
struct req {
  constexpr explicit req(std::uint64_t n) : id(n) {}
  void set(Call& c) const { c.requests.push_back(id); }
  std::uint64_t id;
};
// Unsuccessful tests: the visit stands for several calls and their total time.
struct standing_for {
  constexpr standing_for(std::uint64_t n, Time t) : count(n), inside(t) {}
  void set(Call& c) const {
    c.calls = count;
    c.inside = inside;
  }
  std::uint64_t count;
  Time inside;
};
// A region other than the usual one: send(..., as("MPI_Ssend")).
struct as {
  constexpr explicit as(std::string_view n) : name(n) {}
  void set(Call& c) const { c.name = name; }
  std::string_view name;
};

}  // namespace latecomer::test
