// SPDX-License-Identifier: BSD-3-Clause
// The corrected time of any event of any traced process: first the drift that messages show, then
// the logical clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sync/piecewise_linear.hpp"
#include "sync/time_map.hpp"

namespace latecomer::replay {

// Corrects times. Fast if the times of each process mostly ascend. MT: one thread.
class CorrectedTimes {
 public:
  // `drift` has an element per clock, `maps` one per process; both may be empty.
  CorrectedTimes(std::vector<sync::PiecewiseLinear> drift,
                 const std::vector<std::uint32_t>& clock_of, std::vector<sync::TimeMap> maps)
      : drift_(std::move(drift)), maps_(std::move(maps)) {
    if (drift_.empty()) return;
    for (const auto clock : clock_of) walks_.emplace_back(drift_[clock]);
  }
  // Not copyable, since the walks point into drift_.
  CorrectedTimes(const CorrectedTimes&) = delete;
  CorrectedTimes& operator=(const CorrectedTimes&) = delete;

  [[nodiscard]] sync::Ticks operator()(std::uint32_t process, sync::Ticks t) {
    if (!walks_.empty()) t = walks_[process](t);
    return maps_.empty() ? t : maps_[process](t);
  }
  // The shift `added` applies to `ticks` ticks from `from` on (at least one).
  struct Stretch {
    sync::Ticks from = 0, added = 0;
    std::uint64_t ticks = 0;
  };
  [[nodiscard]] Stretch stretch(std::uint32_t process, sync::Ticks t) {
    Stretch out{t, 0, UINT64_MAX};
    sync::Ticks now = t;
    if (!walks_.empty()) {
      auto& walk = walks_[process];
      now = walk(t);
      const auto behind = static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(walk.from());
      out.ticks = behind < walk.span() ? walk.span() - behind : 1;
    }
    if (!maps_.empty()) {
      const auto& map = maps_[process];
      const sync::Ticks corrected = map(now);
      out.ticks = std::clamp(map.quiet_from(now), std::uint64_t{1}, out.ticks);
      now = corrected;
    }
    out.added = now - t;
    return out;
  }
  [[nodiscard]] bool identity(std::uint32_t process) const {
    return (walks_.empty() || walks_[process].identity()) &&
           (maps_.empty() || maps_[process].identity());
  }

 private:
  std::vector<sync::PiecewiseLinear> drift_;
  std::vector<sync::Walk> walks_;  // per process
  std::vector<sync::TimeMap> maps_;
};

// Corrected times of one process. Caches the interval in which the shift is constant.
class Shifts {
 public:
  Shifts(CorrectedTimes& times, std::uint32_t process) : times_(&times), process_(process) {}

  [[nodiscard]] sync::Ticks operator()(sync::Ticks t) { return t + added(t); }
  [[nodiscard]] sync::Ticks added(sync::Ticks t) {
    if (!same(t)) stretch_ = times_->stretch(process_, t);
    return stretch_.added;
  }
  // True if the shift at `t` is that of the last query.
  [[nodiscard]] bool same(sync::Ticks t) const {
    return static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(stretch_.from) <
           stretch_.ticks;
  }
  [[nodiscard]] std::uint32_t process() const { return process_; }
  // The first time at which the shift may differ.
  [[nodiscard]] sync::Ticks until() const {
    const auto left =
        static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(stretch_.from);
    return stretch_.ticks > left ? INT64_MAX
                                 : stretch_.from + static_cast<sync::Ticks>(stretch_.ticks);
  }

 private:
  CorrectedTimes* times_;
  std::uint32_t process_;
  CorrectedTimes::Stretch stretch_;
};

}  // namespace latecomer::replay
