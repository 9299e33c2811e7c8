// SPDX-License-Identifier: BSD-3-Clause
// Moments by number, which are forgotten once they have been taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/engine/graded.hpp"

namespace latecomer::engine {

// Moments by number. Each is taken at most once; a block whose moments have all been taken is
// freed.
template <class Moment>
class Moments {
 public:
  void add(const Moment& moment) { set(added_++, moment); }
  void set(std::uint32_t number, const Moment& moment) {
    const auto part = number / kPart;
    if (part >= parts_.size()) parts_.resize(part + 1);
    auto& moments = parts_[part].moments;
    if (moments == nullptr) moments = unknown();
    moments[number % kPart] = moment;
  }
  [[nodiscard]] bool has(std::uint32_t number) const {
    const auto part = number / kPart;
    return part < parts_.size() && parts_[part].moments != nullptr &&
           !is_unknown(parts_[part].moments[number % kPart]);
  }
  // The moment with this number; kUnknown: not there yet. A known one must not be taken again.
  [[nodiscard]] Moment take(std::uint32_t number) {
    if (!has(number)) return kUnknown<Moment>;
    Part& part = parts_[number / kPart];
    const Moment moment = part.moments[number % kPart];
    if (++part.taken == kPart) part.moments.reset();
    return moment;
  }

 private:
  static constexpr std::uint32_t kPart = 128;
  struct Part {
    std::unique_ptr<Moment[]> moments;
    std::uint32_t taken = 0;
  };
  static std::unique_ptr<Moment[]> unknown() {
    auto moments = std::make_unique_for_overwrite<Moment[]>(kPart);
    std::fill_n(moments.get(), kPart, kUnknown<Moment>);
    return moments;
  }
  std::vector<Part> parts_;
  std::uint32_t added_ = 0;
};

}  // namespace latecomer::engine
