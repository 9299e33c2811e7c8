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

}  // namespace

bool WaitPacking::pack(const Wait& wait, Packed& to) {
  const auto fits = [](Ticks time) { return time >= INT32_MIN && time <= INT32_MAX; };
  const Ticks event = trace::difference(wait.event, wait.begin);
  const Ticks leave = trace::difference(wait.leave, wait.begin);
  to = {.begin = wait.begin,
        .location = wait.location,
        .call = wait.call,
        .cause_location = wait.cause_location,
        .cause_call = wait.cause_call,
        .wait = static_cast<std::uint32_t>(wait.wait),
        .point = wait.point,
        .node = wait.node,
        .step = wait.step,
        .event = static_cast<std::int32_t>(event),
        .leave = wait.leave == 0 ? kNever : static_cast<std::uint32_t>(leave),
        .kind = static_cast<std::uint8_t>(wait.kind),
        .costs = wait.costs,
        .path = wait.path,
        .known = wait.known,
        .tell = wait.tell};
  return wait.polled == 0 && wait.own_step == wait.step && wait.wait >= 0 && fits(wait.wait) &&
         fits(event) && (wait.leave == 0 || (leave >= 0 && fits(leave)));
}

// By a number, then by what `rest` makes of a wait.
template <typename Key, typename Rest>
void Waits::put_in_order(Key&& key, Rest&& rest) {
  const auto in_order = [&](std::size_t i) {
    const Wait before = (*this)[i - 1], here = (*this)[i];
    const auto a = key(before), b = key(here);
    return a < b || (a == b && rest(before) <= rest(here));
  };
  std::size_t ordered = 1;
  while (ordered < size() && in_order(ordered)) ++ordered;
  if (ordered >= size()) return;
  std::uint64_t least = UINT64_MAX, most = 0;
  for (const Wait& wait : waits_) {
    least = std::min(least, key(wait));
    most = std::max(most, key(wait));
  }
  const auto key_bits = static_cast<unsigned>(std::bit_width(most - least));
  const auto number_bits = static_cast<unsigned>(std::bit_width(size()));
  std::vector<std::pair<decltype(rest(Wait{})), std::uint32_t>> equal;  // of equal keys
  const auto sort = [&](auto keys, auto&& make, auto&& key_of, auto&& number_of) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      prefetch(i + memory::kAhead);
      const auto n = static_cast<std::uint32_t>(number(i));
      keys[i] = make(key(waits_[n]) - least, n);
    }
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
      const auto first_of = [](const auto& one) { return one.first; };
      if (std::ranges::is_sorted(equal, {}, first_of)) continue;
      std::ranges::stable_sort(equal, {}, first_of);
      for (auto i = first; i < last; ++i) order_[i] = equal[i - first].second;
    }
  };
  if (key_bits + number_bits <= 64) {
    const std::uint64_t numbers = (std::uint64_t{1} << number_bits) - 1;
    sort(
        memory::Vector<std::uint64_t>(size()),
        [&](std::uint64_t k, std::uint32_t n) { return (k << number_bits) | n; },
        [&](std::uint64_t one) { return one >> number_bits; },
        [&](std::uint64_t one) { return static_cast<std::uint32_t>(one & numbers); });
  } else {
    sort(
        memory::Vector<Numbered>(size()),
        [](std::uint64_t k, std::uint32_t n) {
          return Numbered{k, n};
        },
        [](const Numbered& one) { return one.key; },
        [](const Numbered& one) { return one.number; });
  }
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
