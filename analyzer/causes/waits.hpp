// SPDX-License-Identifier: BSD-3-Clause
// All waits of the hosted locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"
#include "analyzer/trace/packed_vector.hpp"
#include "patterns/wait_kind.hpp"

namespace latecomer::causes {

using patterns::WaitKind;
using trace::Ticks;

// What Wait::cause_call is an index of, until the points are connected: of that location's calls,
// sends or window events. None: the other side is not told.
enum class CauseIndex : std::uint8_t { kNone, kCall, kSend, kWindowEvent };

// As a step: both began there. Threads of a process are in step from then on.
inline constexpr std::uint32_t kBeginning = 0xfffffffe;

// A wait, and the call of another location that ended it.
struct Wait {
  std::uint32_t location = 0;  // hosted location
  std::uint32_t call = 0;
  std::uint32_t cause_location = trace::kNone;  // index in Definitions::locations; none: unknown
  std::uint32_t cause_call = trace::kNone;
  WaitKind kind = WaitKind::kLateSender;
  bool costs = true;  // it is booked: somebody's delay is its cause
  bool path = true;   // the critical path goes from here to the cause
  bool known = true;  // a wait state; false: it may have waited for what is not in the trace
  CauseIndex tell = CauseIndex::kNone;
  Ticks wait = 0;
  Ticks polled = 0;                    // of it, in tests before the call, at its call path
  Ticks begin = 0;                     // of the wait in the call
  Ticks event = 0;                     // at the cause; ended the wait
  std::uint32_t point = trace::kNone;  // of the location
  Ticks leave = 0;  // of the call; 0: it is looked at when the points are connected
  // Once the points are connected:
  std::uint32_t node = 0;                 // of the call
  std::uint32_t step = trace::kNone;      // its point up to which it was in step with the cause
  std::uint32_t own_step = trace::kNone;  // from which its own time counts

  // Of what of the wait lies in the call.
  [[nodiscard]] Ticks end() const { return begin + wait - polled; }
  // The event came before the call was entered: it was polled for.
  [[nodiscard]] bool seen_late() const { return event < begin; }
  // When it is followed. The waits of a location have to come in the order of their points; what
  // was polled for may have come when the location was in another call, and waited there for
  // something that came later.
  [[nodiscard]] Ticks when() const { return seen_late() ? leave : event; }
};

// What is told of a wait once the points are connected.
struct Connection {
  std::uint32_t point = trace::kNone;
  Ticks leave = 0;
  std::uint32_t node = 0;
  std::uint32_t step = trace::kNone, own_step = trace::kNone;
};

// In 56 bytes: waits of less than 2^31 ticks whose step is one for both sides.
struct WaitPacking {
  struct Packed {
    Ticks begin;
    std::uint32_t location, call, cause_location, cause_call, wait, point, node, step;
    std::int32_t event;   // from begin
    std::uint32_t leave;  // from begin; kNever: not told yet
    std::uint8_t kind;    // kOdd: there is more to it
    bool costs, path, known;
    CauseIndex tell;
  };
  static constexpr std::uint8_t kOdd = 0xff;
  static constexpr std::uint32_t kNever = 0xffffffff;
  static_assert(patterns::kWaitKinds.size() < kOdd);
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
  // False: it does not fit.
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

// Waits stay where they were added; only their numbers are put into other orders.
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
  // Of the i-th that was added: before they are put in order.
  void set_cause_call(std::size_t i, std::uint32_t cause_call) {
    waits_.change(
        i,
        [&](WaitPacking::Packed& packed) {
          packed.cause_call = cause_call;
          return true;
        },
        [&](Wait& wait) { wait.cause_call = cause_call; });
  }
  // Tells the i-th that was added the Connection that f(wait) returns; it may be called twice.
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
  // They are put in order: at first the next one of those of one location after the other, by point
  // and cause.
  void put_next(std::uint32_t i, Ticks when) {
    order_.push_back(i);
    when_.push_back(when);
  }
  // Once all were put: by when they are followed, then by the end of the call; the rest stays.
  void order_by_time();

  [[nodiscard]] Wait added(std::size_t i) const { return waits_[i]; }
  // The i-th in the order, if there is one, else in that of adding.
  [[nodiscard]] Wait operator[](std::size_t i) const { return waits_[number(i)]; }
  // f(wait) for each, in the order of adding: that is how they lie in memory.
  template <typename F>
  void for_each(F&& f) const {
    for (const Wait& wait : waits_) f(wait);
  }
  // It will be asked for soon.
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
  memory::Vector<std::uint32_t> order_;  // empty: as they were added
  memory::Vector<Ticks> when_;           // of each in the order, until they are sorted
};

}  // namespace latecomer::causes
