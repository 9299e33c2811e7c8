// SPDX-License-Identifier: BSD-3-Clause
// Values by the number of an operation on its communicator. Operations that were not recorded have
// numbers, too, so the numbers of recorded ones may be billions apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/memory/prefetch.hpp"

namespace latecomer::trace {

// A table of pages that are allocated on first use.
// MT: one thread.
template <typename T>
class ByInstance {
 public:
  // The value of an instance; created if needed.
  T& operator[](std::uint32_t instance) {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    auto& values = pages_[page];
    if (values.empty()) values.resize(kPage);
    return values[instance % kPage];
  }

  // Prefetches a value that will be read soon, if it exists.
  LATECOMER_PREFETCHES void prefetch(std::uint32_t instance) const {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size() || pages_[page].empty()) return;
    memory::prefetch_whole(&pages_[page][instance % kPage]);
  }

  // Calls f(value) in the order of instances. Includes default values that lie on the same pages.
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
