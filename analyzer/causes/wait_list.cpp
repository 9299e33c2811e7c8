// SPDX-License-Identifier: BSD-3-Clause
// Sorting of waits by the time at which they are followed.
#include "analyzer/causes/wait_list.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "analyzer/memory/sort_by_key.hpp"

namespace latecomer::causes {
namespace {

// A number with its sort key. Nearly always both fit into one word, which is used instead.
struct Numbered {
  std::uint64_t key = 0;
  std::uint32_t number = 0;
};

}  // namespace

// Sorts by key, which has at most `bits` bits. Elements with equal keys are sorted by the end of
// their calls.
template <typename Keys, typename KeyOf, typename NumberOf>
void Waits::put_in_order(Keys& keys, unsigned bits, KeyOf&& key_of, NumberOf&& number_of) {
  memory::sort_by_key(keys, bits, key_of);
  std::vector<std::pair<Ticks, std::uint32_t>> equal;
  for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
    const auto key = key_of(keys[first]);
    order_[first] = number_of(keys[first]);
    for (last = first + 1; last < keys.size() && key_of(keys[last]) == key; ++last) {
      order_[last] = number_of(keys[last]);
    }
    if (last - first == 1) continue;
    equal.clear();
    for (auto i = first; i < last; ++i) equal.emplace_back(waits_[order_[i]].leave, order_[i]);
    memory::sort_few(equal, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto i = first; i < last; ++i) order_[i] = equal[i - first].second;
  }
}

void Waits::order_by_time() {
  if (when_.empty()) return;
  const auto [first, last] = std::ranges::minmax(when_);
  const auto since_first = [first](Ticks when) {
    return static_cast<std::uint64_t>(trace::difference(when, first));
  };
  const auto key_bits = static_cast<unsigned>(std::bit_width(since_first(last)));
  const auto number_bits = static_cast<unsigned>(std::bit_width(size()));
  if (key_bits + number_bits <= 64) {
    const std::uint64_t numbers = (std::uint64_t{1} << number_bits) - 1;
    memory::Vector<std::uint64_t> words(size());
    for (std::size_t i = 0; i < size(); ++i) {
      words[i] = (since_first(when_[i]) << number_bits) | order_[i];
    }
    memory::Vector<Ticks>().swap(when_);
    put_in_order(
        words, key_bits, [&](std::uint64_t one) { return one >> number_bits; },
        [&](std::uint64_t one) { return static_cast<std::uint32_t>(one & numbers); });
  } else {
    memory::Vector<Numbered> keys(size());
    for (std::size_t i = 0; i < size(); ++i) keys[i] = {since_first(when_[i]), order_[i]};
    memory::Vector<Ticks>().swap(when_);
    put_in_order(
        keys, key_bits, [](const Numbered& one) { return one.key; },
        [](const Numbered& one) { return one.number; });
  }
}

}  // namespace latecomer::causes
