// SPDX-License-Identifier: BSD-3-Clause
// Values by the number of an operation on its communicator. Operations that were not recorded have
// numbers, too, so the numbers of recorded ones may be billions apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"

namespace latecomer::trace {

// A table of pages that are allocated on first use. They lie in regions with the values of the
// statistics (memory::Life::kValues), so a table that is kept long may keep their memory, too.
// MT: one thread.
template <typename T>
class ByInstance {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // The value of an instance; created if needed.
  T& operator[](std::uint32_t instance) {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    auto& values = pages_[page];
    if (values == nullptr) [[unlikely]]
      values = fresh();
    return values[instance % kPage];
  }

  // Prefetches a value that will be read soon, if it exists.
  LATECOMER_PREFETCHES void prefetch(std::uint32_t instance) const {
    const std::size_t page = instance / kPage;
    if (page >= pages_.size() || pages_[page] == nullptr) return;
    memory::prefetch_whole(&pages_[page][instance % kPage]);
  }

  // Calls f(value) in the order of instances. Includes default values that lie on the same pages.
  template <typename F>
  void for_each(F&& f) {
    for (auto& page : pages_) {
      if (page == nullptr) continue;
      for (auto& value : std::span(page.get(), kPage)) f(value);
    }
  }

 private:
  static constexpr std::uint32_t kPage = 1 << 10;
  using Page = std::unique_ptr<T[], memory::Give>;
  static_assert(kPage * sizeof(T) <= memory::kLargest);
  static Page fresh() {
    auto* const values = static_cast<T*>(memory::take(kPage * sizeof(T), memory::Life::kValues));
    std::uninitialized_value_construct_n(values, kPage);
    return Page(values);
  }
  std::vector<Page> pages_;
};

}  // namespace latecomer::trace
