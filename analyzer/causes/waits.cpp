// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/waits.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/causes/sort_by_key.hpp"

namespace latecomer::causes {
namespace {

// Numbers by a key: both in one word where they fit, which is nearly always.
struct Numbered {
  std::uint64_t key = 0;
  std::uint32_t number = 0;
};

// Those of a call, or of an operation: mostly so few that std::stable_sort() would take longer for
// its memory.
template <typename T>
void sort_equal(std::vector<T>& equal) {
  constexpr std::size_t kFew = 32;
  if (equal.size() > kFew) {
    std::ranges::stable_sort(equal, {}, &T::first);
    return;
  }
  for (std::size_t i = 1; i < equal.size(); ++i) {
    const T one = equal[i];
    std::size_t at = i;
    for (; at > 0 && one.first < equal[at - 1].first; --at) equal[at] = equal[at - 1];
    equal[at] = one;
  }
}

}  // namespace

// By a number, then by what `rest` makes of a wait.
template <typename Key, typename Rest>
void Waits::put_in_order(Key&& key, Rest&& rest) {
  memory::Vector<std::uint64_t> words(size());
  std::uint64_t least = UINT64_MAX, most = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    prefetch(i + memory::kAhead);
    words[i] = key(waits_[number(i)]);
    least = std::min(least, words[i]);
    most = std::max(most, words[i]);
  }
  const auto key_bits = static_cast<unsigned>(std::bit_width(most - least));
  const auto number_bits = static_cast<unsigned>(std::bit_width(size()));
  std::vector<std::pair<decltype(rest(Wait{})), std::uint32_t>> equal;  // of equal keys
  const auto sort = [&](auto& keys, auto&& key_of, auto&& number_of) {
    sort_by_key(keys, key_bits, key_of);
    order_.resize(keys.size());
    for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
      while (last < keys.size() && key_of(keys[last]) == key_of(keys[first])) {
        order_[last] = number_of(keys[last]);
        ++last;
      }
      if (last - first == 1) continue;
      equal.clear();
      for (auto i = first; i < last; ++i) equal.emplace_back(rest(waits_[order_[i]]), order_[i]);
      sort_equal(equal);
      for (auto i = first; i < last; ++i) order_[i] = equal[i - first].second;
    }
  };
  if (key_bits + number_bits <= 64) {
    const std::uint64_t numbers = (std::uint64_t{1} << number_bits) - 1;
    for (std::size_t i = 0; i < size(); ++i) {
      words[i] = ((words[i] - least) << number_bits) | number(i);
    }
    sort(
        words, [&](std::uint64_t one) { return one >> number_bits; },
        [&](std::uint64_t one) { return static_cast<std::uint32_t>(one & numbers); });
  } else {
    memory::Vector<Numbered> keys(size());
    for (std::size_t i = 0; i < size(); ++i) {
      keys[i] = {words[i] - least, static_cast<std::uint32_t>(number(i))};
    }
    memory::Vector<std::uint64_t>().swap(words);
    sort(
        keys, [](const Numbered& one) { return one.key; },
        [](const Numbered& one) { return one.number; });
  }
  if (std::ranges::is_sorted(order_)) order_ = memory::Vector<std::uint32_t>();  // as added
}

void Waits::order_by_call() {
  put_in_order(
      [](const Wait& wait) { return (std::uint64_t{wait.location} << 32) | wait.call; },
      [](const Wait& wait) { return std::tuple(wait.kind, wait.cause_location, wait.cause_call); });
}

void Waits::order_by_time() {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  put_in_order([](const Wait& wait) { return static_cast<std::uint64_t>(wait.when()) ^ kSign; },
               [](const Wait& wait) {
                 return std::tuple(wait.leave, wait.location, wait.point, wait.cause_location);
               });
}

}  // namespace latecomer::causes
