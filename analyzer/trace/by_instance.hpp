// SPDX-License-Identifier: BSD-3-Clause
// Values by the number of an operation on its communicator. Operations that were not recorded have
// numbers as well, so those of recorded ones may be billions apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/memory/prefetch.hpp"

namespace latecomer::trace {

// MT: one thread.
template <typename T>
class ByInstance {
 public:
  // Made if it is not there.
  T& operator[](std::uint32_t instance) {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    auto& values = pages_[page];
    if (values.empty()) values.resize(kPage);
    return values[instance % kPage];
  }

  // It will be asked for soon, if it is there.
  LATECOMER_PREFETCHES void prefetch(std::uint32_t instance) const {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size() || pages_[page].empty()) return;
    memory::prefetch_whole(&pages_[page][instance % kPage]);
  }

  // f(value) in the order of instances; also for values that were made beside those asked for.
  template <typename F>
  void for_each(F&& f) {
    for (auto& page : pages_) {
      for (auto& value : page) f(value);
    }
  }

 private:
  static constexpr std::uint32_t kPage = 1 << 10;
  std::vector<std::vector<T>> pages_;
};

}  // namespace latecomer::trace
