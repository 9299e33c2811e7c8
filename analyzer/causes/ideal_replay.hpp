// SPDX-License-Identifier: BSD-3-Clause
// The run on an ideal network: local work takes as long as it took, and an MPI call takes only as
// long as it must wait for other processes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/by_instance.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::causes {

// Waiting times are kept by phase of the program: kNoPhase, or 1 to 15.
inline constexpr std::size_t kPhases = 16;
inline constexpr std::uint8_t kNoPhase = 0;

// A step of a location, in eight bytes: 4 bits kind, 4 bits phase or flags, and 56 bits that are
// either ticks or the numbers a (24 bits) and b (32 bits).
class Step {
 public:
  enum class Kind : std::uint8_t {
    kWork,           // a duration in ticks
    kSend,           // the location's next send, after so many ticks
    kPost,           // posts the receive for send b of location a
    kArrive,         // arrives at instance b on communicator a
    kMark,           // the location reaches place b
    kNeedSend,       // send b of location a has begun
    kNeedPost,       // the receive for the location's own send b is posted
    kNeedAll,        // all members have arrived at instance b on communicator a
    kNeedRoot,       // the root of that instance has arrived
    kNeedLower,      // the members up to the own one have arrived
    kNeedNeighbors,  // the members that data come from have arrived
    kNeedMark,       // location a has reached its place b
  };
  // Flags of kArrive, stored instead of a phase.
  static constexpr std::uint8_t kSends = 1, kIsRoot = 2, kOrdered = 4, kNeedsNothing = 8;
  // Largest number of a location or communicator that fits.
  static constexpr std::uint32_t kLargest = (1U << 24) - 1;

  Step() = default;
  static constexpr std::int64_t kMostTicks = (std::int64_t{1} << 56) - 1;
  static Step work(std::int64_t ticks) {
    return {Kind::kWork, 0, static_cast<std::uint64_t>(ticks)};
  }
  static Step send(std::int64_t ticks) {
    return {Kind::kSend, 0, static_cast<std::uint64_t>(ticks)};
  }
  Step(Kind kind, std::uint8_t phase, std::uint32_t a, std::uint32_t b)
      : Step(kind, phase, (std::uint64_t{a} << 32) | b) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(bits_ >> 60); }
  [[nodiscard]] std::uint8_t phase() const { return (bits_ >> 56) & 15; }
  [[nodiscard]] std::int64_t ticks() const { return static_cast<std::int64_t>(bits_ & kTicks); }
  [[nodiscard]] std::uint32_t a() const { return static_cast<std::uint32_t>(ticks() >> 32); }
  [[nodiscard]] std::uint32_t b() const { return static_cast<std::uint32_t>(bits_); }

 private:
  static constexpr std::uint64_t kTicks = kMostTicks;
  Step(Kind kind, std::uint8_t phase, std::uint64_t rest)
      : bits_((std::uint64_t{static_cast<std::uint8_t>(kind)} << 60) |
              (std::uint64_t{phase} << 56) | (rest & kTicks)) {}
  std::uint64_t bits_;  // no default value, so that vectors of steps need not be cleared
};

// Times by number. Each is taken at most once; a block whose times have all been taken is freed.
class Moments {
 public:
  static constexpr trace::Ticks kUnknown = INT64_MIN;

  void add(trace::Ticks time) { set(added_++, time); }
  void set(std::uint32_t number, trace::Ticks time) {
    const auto part = number / kPart;
    if (part >= parts_.size()) parts_.resize(part + 1);
    auto& times = parts_[part].times;
    if (times == nullptr) times = unknown();
    times[number % kPart] = time;
  }
  [[nodiscard]] bool has(std::uint32_t number) const {
    const auto part = number / kPart;
    return part < parts_.size() && parts_[part].times != nullptr &&
           parts_[part].times[number % kPart] != kUnknown;
  }
  // The time with this number; kUnknown: not there yet. A known time must not be taken again.
  [[nodiscard]] trace::Ticks take(std::uint32_t number) {
    if (!has(number)) return kUnknown;
    Part& part = parts_[number / kPart];
    const trace::Ticks time = part.times[number % kPart];
    if (++part.taken == kPart) part.times.reset();
    return time;
  }

 private:
  static constexpr std::uint32_t kPart = 128;
  struct Part {
    std::unique_ptr<trace::Ticks[]> times;
    std::uint32_t taken = 0;
  };
  static std::unique_ptr<trace::Ticks[]> unknown() {
    auto times = std::make_unique_for_overwrite<trace::Ticks[]>(kPart);
    std::fill_n(times.get(), kPart, kUnknown);
    return times;
  }
  std::vector<Part> parts_;
  std::uint32_t added_ = 0;
};

// Replays the steps of all locations. Each goes on as far as it can. One that needs something that
// has not happened yet stands still until it has. The result therefore depends neither on the order
// in which locations are visited nor on how their steps arrive.
class IdealReplay {
 public:
  // `everybody`: number of all processes. They are the members of an additional communicator,
  // number comms.size(), in MPI_Init (instance 0) and MPI_Finalize (instance 1).
  IdealReplay(const trace::Definitions& definitions, std::uint32_t everybody);

  // Appends steps of a location.
  void add(std::uint32_t location, parallel::Unpacker& from);
  // Goes on with the steps that are there.
  void run();
  // Call after the last step. If all locations stand still, which only contradictory times cause,
  // one after the other goes on without what it needs.
  void finish();

  // Time since the start of the run at which a location ended.
  [[nodiscard]] trace::Ticks end(std::uint32_t location) const { return locations_[location].now; }
  [[nodiscard]] trace::Ticks waits(std::uint32_t location, std::size_t phase) const {
    return locations_[location].waits[phase];
  }
  // Number of needs that were never satisfied.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  using Ticks = trace::Ticks;
  static constexpr Ticks kUnknown = Moments::kUnknown;

  // Head of a list of locations that stand still for the same thing; kNone: empty. A location
  // stands still for one thing only, so the list is linked through Location::next_waiter.
  using Waiters = std::uint32_t;

  // Replay state of a location.
  struct Location {
    memory::Vector<Step> steps;  // steps not yet taken are those from `next` on
    std::size_t next = 0;
    Ticks now = 0;
    bool queued = false;
    std::uint32_t next_waiter = trace::kNone;
    Waiters waiters = trace::kNone;  // locations that wait for sends and marks of this one
    std::uint32_t awaited_post = trace::kNone;  // the send whose receive this location waits for
    Moments sends, posts;                       // by number of the send
    std::array<Ticks, kPhases> waits{};
  };
  // State of a collective operation.
  struct Operation {
    Ticks all = kUnknown;  // latest arrival of the members that contribute
    Ticks root = kUnknown;
    std::uint32_t arrived = 0;
    Waiters waiters = trace::kNone;
  };
  // State of an operation in which the order of arrival matters. It exists until all members have
  // what they need.
  struct Order {
    explicit Order(std::uint32_t members)
        : times(members, kUnknown), waiters(members, trace::kNone) {}
    std::vector<Ticks> times;         // by member
    std::vector<Waiters> waiters;     // waiters, by the member that they need
    std::uint32_t lower = 0;          // all members before this one have arrived
    std::vector<Ticks> latest_lower;  // latest arrival up to each of them
    std::uint32_t served = 0;
  };

  void go_on(std::uint32_t location);
  void post(const Step& step, Ticks now);
  void arrive(std::uint32_t location, const Step& step, Ticks now);
  void arrive_in_order(std::uint32_t location, const Step& step, Ticks now);
  // The time at which what a step needs happens; kUnknown: it has not happened yet.
  [[nodiscard]] Ticks needed(std::uint32_t location, const Step& step, Ticks now);
  [[nodiscard]] Ticks needed_in_order(std::uint32_t location, const Step& step, Ticks now);
  // The list for a location that stands still before a step of any kind except kNeedPost.
  [[nodiscard]] Waiters& waiters_for(std::uint32_t location, const Step& step);
  void stand_still(std::uint32_t location, const Step& step);
  void give_up(std::uint32_t location);
  void wake(std::uint32_t location) {
    if (std::exchange(locations_[location].queued, true)) return;
    queue_.push_back(location);
  }
  void wake_all(Waiters& waiters);
  void wake_ready(Location& here);
  [[nodiscard]] bool is_there(const Step& step) const;
  [[nodiscard]] std::uint32_t member_of(std::uint32_t comm, std::uint32_t location);
  // Some locations are already in the next operation and others are not, so two are remembered.
  // Operations do not move in memory.
  struct Last {
    std::uint64_t key = UINT64_MAX;
    Operation* operation = nullptr;
  };
  [[nodiscard]] Operation& operation(const Step& step) {
    Last& last = last_[step.b() % 2];
    if (last.key != key_of(step)) [[unlikely]]
      last = find_operation(step);
    return *last.operation;
  }
  [[nodiscard]] Last find_operation(const Step& step);
  [[nodiscard]] Ticks needed_of_all(const Step& step) {
    const Operation& all = operation(step);
    // If no member contributes, there is nothing to wait for.
    return all.arrived < sizes_[step.a()] ? kUnknown : std::max<Ticks>(all.all, 0);
  }
  [[nodiscard]] Order& order(const Step& step);
  void served(const Step& step);
  [[nodiscard]] std::uint32_t missing_neighbor(const Step& step, std::uint32_t member);
  static std::uint64_t key_of(const Step& step) {  // packs a and b
    return static_cast<std::uint64_t>(step.ticks());
  }

  const trace::Definitions& definitions_;
  std::vector<std::uint32_t> sizes_;  // per communicator, then all processes
  std::vector<Location> locations_;
  std::vector<std::uint32_t> queue_, running_;  // woken; in the current round
  // Operations by communicator and instance.
  std::vector<trace::ByInstance<Operation>> operations_;
  std::array<Last, 2> last_;  // the operations that were used last
  std::unordered_map<std::uint64_t, Order> orders_;
  std::unordered_map<std::uint64_t, Ticks> marks_;                         // by location and place
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members_;  // by comm and process
  std::int64_t dropped_ = 0;
};

}  // namespace latecomer::causes
