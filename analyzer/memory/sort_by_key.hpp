// SPDX-License-Identifier: BSD-3-Clause
// Stable sorting by an integer key, for large vectors that are often nearly sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/memory/large_pages.hpp"

namespace latecomer::memory {

// Merges neighboring sorted runs until one is left. `ends`: the end of each run.
template <typename T, typename Key>
void merge_runs(Vector<T>& all, std::vector<std::size_t> ends, Key&& key) {
  Vector<T> other(all.size());
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run], end = ends[std::min(run + 1, ends.size() - 1)];
      const T *a = all.data() + begin, *b = all.data() + middle;
      const T *const a_end = b, *const b_end = all.data() + end;
      T* to = other.data() + begin;
      while (a != a_end && b != b_end) *to++ = key(*b) < key(*a) ? *b++ : *a++;
      std::copy(b, b_end, std::copy(a, a_end, to));
      merged.push_back(begin = end);
    }
    ends = std::move(merged);
    std::swap(all, other);
  }
}

// Sorts by a key of at most `bits` bits; elements with equal keys keep their order. At most 2^32
// elements. A vector of few sorted runs is merged. All others are sorted digit by digit (radix
// sort): comparisons take several times as long where most keys are far from their places.
template <typename T, typename Key>
void sort_by_key(Vector<T>& all, unsigned bits, Key&& key) {
  constexpr unsigned kDigit = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigit;
  const std::size_t most_runs = std::size_t{1} << std::min(5U, bits / kDigit + 2);
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < all.size() && ends.size() <= most_runs; ++i) {
    if (key(all[i]) < key(all[i - 1])) ends.push_back(i);
  }
  if (ends.empty()) return;
  if (ends.size() < most_runs) {
    ends.push_back(all.size());
    return merge_runs(all, std::move(ends), key);
  }
  Vector<T> other(all.size());
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

// A stable sort for vectors that are usually so small that std::stable_sort() would spend more time
// on allocating its buffer than on sorting.
template <typename Elements, typename Less>
void sort_few(Elements&& elements, Less&& less) {
  constexpr std::size_t kFew = 32;
  if (elements.size() > kFew) {
    std::ranges::stable_sort(elements, less);
    return;
  }
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (!less(elements[i], elements[i - 1])) continue;
    const auto one = elements[i];
    std::size_t at = i;
    for (; at > 0 && less(one, elements[at - 1]); --at) elements[at] = elements[at - 1];
    elements[at] = one;
  }
}

}  // namespace latecomer::memory
