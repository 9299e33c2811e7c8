// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyzer/memory/large_pages.hpp"

namespace latecomer::causes {

// By the lowest `bits` bits of a key, digit by digit; equal ones stay as they stand. Comparing
// would take several times as long where most keys are far from where they belong. At most 2^32
// elements.
template <typename T, typename Key>
void sort_by_key(memory::Vector<T>& all, unsigned bits, Key&& key) {
  constexpr unsigned kDigit = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigit;
  memory::Vector<T> other(all.size());
  for (unsigned shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [&](const T& one) { return (key(one) >> shift) & (kDigits - 1); };
    std::array<std::uint32_t, kDigits> next{};
    for (const auto& one : all) ++next[digit(one)];
    std::uint32_t before = 0;
    for (auto& count : next) before += std::exchange(count, before);
    for (const auto& one : all) other[next[digit(one)]++] = one;
    std::swap(all, other);
  }
}

}  // namespace latecomer::causes
