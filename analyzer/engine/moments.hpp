// SPDX-License-Identifier: BSD-3-Clause
// Times by number, which are forgotten once they have been taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::engine {

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

}  // namespace latecomer::engine
