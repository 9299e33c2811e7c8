// SPDX-License-Identifier: BSD-3-Clause
// Shifts of the events of one process by the controlled logical clock: jumps that decay.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace latecomer::sync {

using Ticks = std::int64_t;

// Gamma, the control variable of the controlled logical clock, as 1 - 1/decay. After a jump the
// shift shrinks by one tick in `decay` ticks; 1000 is gamma = 0.999.
using Decay = std::int64_t;

// The shift s(e) = LC'(e) - C(e) of one process. After a jump to size s_r at time r, until another
// jump, it is rounded once from
//
//   max(0, s_r - (1 - gamma) * (C(e) - r))
//
//   decay 10, jump to 6 at 100:   C   99  100  105  110  130  160
//                                 s    0    6    6    5    3    0
//
// All jumps shrink at the same rate. At any time the jump with the largest key = decay * size + r
// of those before determines the shift. So a list of jumps with increasing keys is enough.
class Shift {
 public:
  explicit Shift(Decay decay) : decay_(decay) {}

  // Shift of an event at time `c`, including a jump at that time.
  [[nodiscard]] Ticks at(Ticks c) const {
    auto next = keys_.upper_bound(c);
    if (next == keys_.begin()) return 0;
    const Ticks left = std::prev(next)->second - c;
    return left <= 0 ? 0 : (left + decay_ / 2) / decay_;
  }

  // Upper bound for the shifts of all events between two times.
  [[nodiscard]] Ticks most(Ticks from, Ticks to) const {
    if (keys_.empty()) return 0;
    const auto next = keys_.upper_bound(to);
    if (next == keys_.begin()) return 0;
    const Ticks left = std::prev(next)->second - from;
    return left <= 0 ? 0 : (left + decay_ / 2) / decay_;
  }

  // Makes the shift at time `at` at least `size`. Returns false if it was, compared without
  // rounding, so that the result does not depend on the order of raising.
  bool raise(Ticks at, Ticks size) {
    const Ticks key = decay_ * size + at;
    const auto next = keys_.upper_bound(at);
    if (next != keys_.begin() && std::prev(next)->second >= key) return false;
    auto it = keys_.insert_or_assign(at, key).first;
    // Later jumps that no longer exceed this one are removed.
    for (++it; it != keys_.end() && it->second <= key;) it = keys_.erase(it);
    return true;
  }

  // True if there is a jump at exactly this time.
  [[nodiscard]] bool jumps_at(Ticks at) const { return keys_.contains(at); }

  // The jump, as (time, size), that causes the shift at `c`; none if that is zero.
  [[nodiscard]] std::optional<std::pair<Ticks, Ticks>> jump_before(Ticks c) const {
    const auto next = keys_.upper_bound(c);
    if (next == keys_.begin()) return std::nullopt;
    const auto& [at, key] = *std::prev(next);
    if ((key - c) + decay_ / 2 < decay_) return std::nullopt;
    return std::pair(at, (key - at) / decay_);
  }

  // True if a jump made by raise() has not been overtaken by a larger one since.
  [[nodiscard]] bool holds(Ticks at, Ticks size) const {
    const auto it = keys_.find(at);
    return it != keys_.end() && it->second == decay_ * size + at;
  }

  // The last time that a jump of `size` at `at` can affect.
  [[nodiscard]] Ticks reach(Ticks at, Ticks size) const { return at + decay_ * size; }

  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] Decay decay() const { return decay_; }

  // Calls f(time, size) for each jump, in ascending order of time.
  template <typename F>
  void for_each(F&& f) const {
    for (const auto& [at, key] : keys_) f(at, (key - at) / decay_);
  }

 private:
  Decay decay_;
  std::map<Ticks, Ticks> keys_;  // time of the jump -> key
};

}  // namespace latecomer::sync
