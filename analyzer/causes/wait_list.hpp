// SPDX-License-Identifier: BSD-3-Clause
// All waits of the hosted locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/packed_vector.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::causes {

using patterns::WaitKind;
using trace::Ticks;

// Meaning of Wait::cause_call until the points are connected: an index of calls, sends or window
// events of that location. kCallOfFirst: of calls, too; the waiter then goes on waiting for others
// in the same call. kNone: the other side is not informed.
enum class CauseIndex : std::uint8_t { kNone, kCall, kCallOfFirst, kSend, kWindowEvent };

// Value of a step: both locations began there. Threads of a process are in step from then on.
inline constexpr std::uint32_t kBeginning = 0xfffffffe;

// A wait, and the call of another location that ended it.
struct Wait {
  std::uint32_t location = 0;  // hosted location
  std::uint32_t call = 0;
  std::uint32_t cause_location = trace::kNone;  // index in Definitions::locations; none: unknown
  std::uint32_t cause_call = trace::kNone;
  WaitKind kind = WaitKind::kLateSender;
  bool costs = true;  // it is booked, and charged to the location that caused it
  bool path = true;   // the critical path goes from here to the cause
  bool known = true;  // a wait state; false: may have waited for something that is not in the trace
  CauseIndex tell = CauseIndex::kNone;
  Ticks wait = 0;
  Ticks polled = 0;  // part of `wait` spent in tests before the call, at the call's call path
  Ticks begin = 0;   // beginning of the part of the wait inside the call
  Ticks event = 0;   // time of the event at the cause that ended the wait
  std::uint32_t point = trace::kNone;  // point of the location
  Ticks leave = 0;  // end of the call; 0: read from the call when the points are connected
  // The following are set when the points are connected:
  std::uint32_t node = 0;                 // node of the call
  std::uint32_t step = trace::kNone;      // point up to which it was in step with the cause
  std::uint32_t own_step = trace::kNone;  // point of the location from which its own time counts

  // End of the part of the wait that lies inside the call.
  [[nodiscard]] Ticks end() const { return begin + wait - polled; }
  // True if the event came before the call was entered, so the location polled for it.
  [[nodiscard]] bool seen_late() const { return event < begin; }
  // The time at which the wait is followed. The waits of a location have to come in the order of
  // their points. An event that was polled for may have happened during another call of the
  // location, in which it waited for something that came later.
  [[nodiscard]] Ticks when() const { return seen_late() ? leave : event; }
};

// The values that a wait learns when the points are connected.
struct Connection {
  std::uint32_t point = trace::kNone;
  Ticks leave = 0;
  std::uint32_t node = 0;
  std::uint32_t step = trace::kNone, own_step = trace::kNone;
};

// Packs a wait into 56 bytes. It must be shorter than 2^31 ticks and have one step for both sides.
struct WaitPacking {
  struct Packed {
    Ticks begin;
    std::uint32_t location, call, cause_location, cause_call, wait, point, node, step;
    std::int32_t event;   // relative to begin
    std::uint32_t leave;  // relative to begin; kNever: not known yet
    std::uint8_t kind;    // kOdd: does not fit and is stored elsewhere
    bool costs, path, known;
    CauseIndex tell;
  };
  static constexpr std::uint8_t kOdd = 0xff;
  static constexpr std::uint32_t kNever = 0xffffffff;
  static_assert(patterns::kWaitKindCount < kOdd);
  static bool pack(const Wait& wait, Packed& to) {
    const auto fits = [](Ticks time) { return time >= INT32_MIN && time <= INT32_MAX; };
    const Ticks event = trace::difference(wait.event, wait.begin);
    const Ticks leave = trace::difference(wait.leave, wait.begin);
    to = {.begin = wait.begin,
          .location = wait.location,
          .call = wait.call,
          .cause_location = wait.cause_location,
          .cause_call = wait.cause_call,
          .wait = static_cast<std::uint32_t>(wait.wait),
          .point = wait.point,
          .node = wait.node,
          .step = wait.step,
          .event = static_cast<std::int32_t>(event),
          .leave = wait.leave == 0 ? kNever : static_cast<std::uint32_t>(leave),
          .kind = static_cast<std::uint8_t>(wait.kind),
          .costs = wait.costs,
          .path = wait.path,
          .known = wait.known,
          .tell = wait.tell};
    return wait.polled == 0 && wait.own_step == wait.step && wait.wait >= 0 && fits(wait.wait) &&
           fits(event) && (wait.leave == 0 || (leave >= 0 && fits(leave)));
  }
  static Wait unpack(const Packed& from) {
    return {.location = from.location,
            .call = from.call,
            .cause_location = from.cause_location,
            .cause_call = from.cause_call,
            .kind = static_cast<WaitKind>(from.kind),
            .costs = from.costs,
            .path = from.path,
            .known = from.known,
            .tell = from.tell,
            .wait = from.wait,
            .begin = from.begin,
            .event = trace::advanced(from.begin, from.event),
            .point = from.point,
            .leave = from.leave == kNever ? 0 : trace::advanced(from.begin, from.leave),
            .node = from.node,
            .step = from.step,
            .own_step = from.step};
  }
  static Packed odd(std::uint32_t number) {
    Packed packed{};
    packed.location = number;
    packed.kind = kOdd;
    return packed;
  }
  // False: the connected wait does not fit.
  static bool connect(const Connection& told, Packed& to) {
    const Ticks leave = trace::difference(told.leave, to.begin);
    if (told.own_step != told.step) return false;
    if (told.leave != 0 && (leave < 0 || leave > INT32_MAX)) return false;
    to.leave = told.leave == 0 ? kNever : static_cast<std::uint32_t>(leave);
    to.point = told.point;
    to.node = told.node;
    to.step = told.step;
    return true;
  }
  static bool is_odd(const Packed& packed) { return packed.kind == kOdd; }
  static std::uint32_t odd_number(const Packed& packed) { return packed.location; }
};

// Waits stay where they were added. Only their numbers are sorted.
class Waits {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Wait;
    Iterator() = default;
    Iterator(const Waits* waits, std::size_t at) : waits_(waits), at_(at) {}
    Wait operator*() const { return (*waits_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {waits_, at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Waits* waits_ = nullptr;
    std::size_t at_ = 0;
  };

  void add(const Wait& wait) { waits_.push_back(wait); }
  // Sets the cause of the i-th wait that was added. Only before the waits are put in order.
  void set_cause_call(std::size_t i, std::uint32_t cause_call) {
    waits_.change(
        i,
        [&](WaitPacking::Packed& packed) {
          packed.cause_call = cause_call;
          return true;
        },
        [&](Wait& wait) { wait.cause_call = cause_call; });
  }
  // Connects the i-th wait that was added with the Connection that f(wait) returns. It may call f
  // twice.
  template <typename F>
  void connect(std::size_t i, F&& f) {
    waits_.change(
        i,
        [&](WaitPacking::Packed& packed) {
          return WaitPacking::connect(f(WaitPacking::unpack(packed)), packed);
        },
        [&](Wait& wait) {
          const Connection told = f(wait);
          wait.point = told.point;
          wait.leave = told.leave;
          wait.node = told.node;
          wait.step = told.step;
          wait.own_step = told.own_step;
        });
  }
  // First step of the ordering: appends the next wait of a location. Waits of one location come in
  // the order of point and cause, one location after the other.
  void put_next(std::uint32_t i, Ticks when) {
    if (order_.empty()) {
      order_.reserve(size());
      when_.reserve(size());
    }
    order_.push_back(i);
    when_.push_back(when);
  }
  // Second step, once all were put: sorts by the time at which waits are followed, then by the end
  // of the call. Equal ones keep their order.
  void order_by_time();

  [[nodiscard]] Wait added(std::size_t i) const { return waits_[i]; }
  // The i-th wait in the order, if there is one, otherwise in the order of adding.
  [[nodiscard]] Wait operator[](std::size_t i) const { return waits_[number(i)]; }
  // Calls f(wait) for each in the order of adding, which is the order in memory.
  template <typename F>
  void for_each(F&& f) const {
    for (const Wait& wait : waits_) f(wait);
  }
  // The wait will be read soon.
  LATECOMER_PREFETCHES void prefetch(std::size_t i) const {
    if (i < size()) waits_.prefetch(number(i));
  }
  [[nodiscard]] std::size_t size() const { return waits_.size(); }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

 private:
  [[nodiscard]] std::size_t number(std::size_t i) const { return order_.empty() ? i : order_[i]; }
  template <typename Keys, typename KeyOf, typename NumberOf>
  void put_in_order(Keys& keys, unsigned bits, KeyOf&& key_of, NumberOf&& number_of);

  trace::PackedVector<Wait, WaitPacking> waits_;
  memory::Vector<std::uint32_t> order_;  // empty: not sorted, as they were added
  memory::Vector<Ticks> when_;  // when each wait of the order is followed, until they are sorted
};

}  // namespace latecomer::causes
