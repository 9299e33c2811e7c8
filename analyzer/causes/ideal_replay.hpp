// SPDX-License-Identifier: BSD-3-Clause
// The run on an ideal network: what locations do for themselves takes as long as it took, and every
// MPI call only as long as it must wait for others.
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
#include "analyzer/trace/by_instance.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::causes {

// Times of waiting are kept by phase of the program: kNoPhase, or 1 to 15.
inline constexpr std::size_t kPhases = 16;
inline constexpr std::uint8_t kNoPhase = 0;

// A step of a location, in eight bytes.
class Step {
 public:
  enum class Kind : std::uint8_t {
    kWork,           // so many ticks
    kSend,           // after so many ticks; the location's next one
    kPost,           // of the receive for send b of location a
    kArrive,         // to instance b on communicator a
    kMark,           // place b of the location has come
    kNeedSend,       // send b of location a has begun
    kNeedPost,       // the receive for the location's own send b is posted
    kNeedAll,        // everybody has come to instance b on communicator a
    kNeedRoot,       // its root has
    kNeedLower,      // the members up to the own one have
    kNeedNeighbors,  // those have that data come from
    kNeedMark,       // place b of location a
  };
  // Of kArrive, in place of a phase.
  static constexpr std::uint8_t kSends = 1, kIsRoot = 2, kOrdered = 4, kNeedsNothing = 8;
  // Larger numbers of locations or communicators do not fit.
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
  std::uint64_t bits_;  // vectors of steps are not cleared
};

// Times by number, each of which is asked for once at most: where all have been asked for, they are
// forgotten.
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
  // kUnknown: it is not there yet. Else nobody asks a second time.
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

// All locations go on as far as they can; who needs something that has not happened yet stands
// still until it has. So the result does not depend on the order in which locations are looked at,
// nor on how their steps arrive.
class IdealReplay {
 public:
  // `everybody`: members of the communicator with the number comms.size(): of MPI_Init (instance 0)
  // and MPI_Finalize (1).
  IdealReplay(const trace::Definitions& definitions, std::uint32_t everybody);

  // Takes further steps of a location.
  void add(std::uint32_t location, parallel::Unpacker& from);
  // Goes on with what is there.
  void run();
  // After the last step. Where all stand still, which only contradictory times lead to, one
  // location after the other goes on without what it needs.
  void finish();

  // Since the start of the run.
  [[nodiscard]] trace::Ticks end(std::uint32_t location) const { return locations_[location].now; }
  [[nodiscard]] trace::Ticks waits(std::uint32_t location, std::size_t phase) const {
    return locations_[location].waits[phase];
  }
  // Needs that nothing satisfied.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  using Ticks = trace::Ticks;
  static constexpr Ticks kUnknown = Moments::kUnknown;

  // Locations that stand still for the same: the first of them, kNone if there is none. A location
  // stands still for one thing, so it has the next one.
  using Waiters = std::uint32_t;

  struct Location {
    memory::Vector<Step> steps;  // that were not taken yet: from `next` on
    std::size_t next = 0;
    Ticks now = 0;
    bool queued = false;
    std::uint32_t next_waiter = trace::kNone;
    Waiters waiters = trace::kNone;             // for sends and marks of this one
    std::uint32_t awaited_post = trace::kNone;  // the send for whose receive it stands still
    Moments sends, posts;                       // by number of the send
    std::array<Ticks, kPhases> waits{};
  };
  struct Operation {
    Ticks all = kUnknown;  // latest of those that contribute
    Ticks root = kUnknown;
    std::uint32_t arrived = 0;
    Waiters waiters = trace::kNone;
  };
  // Of an operation in which it matters who came when, until everybody has what it needs.
  struct Order {
    explicit Order(std::uint32_t members)
        : times(members, kUnknown), waiters(members, trace::kNone) {}
    std::vector<Ticks> times;         // by member
    std::vector<Waiters> waiters;     // by the member that they need
    std::uint32_t lower = 0;          // all members before have come
    std::vector<Ticks> latest_lower;  // of those: the latest up to each
    std::uint32_t served = 0;
  };

  void go_on(std::uint32_t location);
  void post(const Step& step, Ticks now);
  void arrive(std::uint32_t location, const Step& step, Ticks now);
  void arrive_in_order(std::uint32_t location, const Step& step, Ticks now);
  // When what a step needs happens; kUnknown: not yet.
  [[nodiscard]] Ticks needed(std::uint32_t location, const Step& step, Ticks now);
  [[nodiscard]] Ticks needed_in_order(std::uint32_t location, const Step& step, Ticks now);
  // Who lets a location go on that stands still before a step, but for kNeedPost.
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
  // Some locations have come to the next one, others not: two are remembered. Operations stay where
  // they are.
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
    // Nobody contributed: there is nothing to wait for.
    return all.arrived < sizes_[step.a()] ? kUnknown : std::max<Ticks>(all.all, 0);
  }
  [[nodiscard]] Order& order(const Step& step);
  void served(const Step& step);
  [[nodiscard]] std::uint32_t missing_neighbor(const Step& step, std::uint32_t member);
  static std::uint64_t key_of(const Step& step) {  // of its a and b
    return static_cast<std::uint64_t>(step.ticks());
  }

  const trace::Definitions& definitions_;
  std::vector<std::uint32_t> sizes_;  // of communicators, then everybody
  std::vector<Location> locations_;
  std::vector<std::uint32_t> queue_, running_;  // woken; those before them
  // By communicator and instance.
  std::vector<trace::ByInstance<Operation>> operations_;
  std::array<Last, 2> last_;  // that were looked at
  std::unordered_map<std::uint64_t, Order> orders_;
  std::unordered_map<std::uint64_t, Ticks> marks_;                         // by location and place
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members_;  // by comm and process
  std::int64_t dropped_ = 0;
};

}  // namespace latecomer::causes
