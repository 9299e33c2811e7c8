// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/waits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace latecomer::causes {
namespace {

struct Numbered {
  std::uint64_t key = 0;
  std::uint32_t number = 0;
};

// By key, from the lowest digit to the highest; equal ones stay as they stand. Comparing would take
// several times as long, since most keys are far from where they belong.
void sort_by_key(memory::Vector<Numbered>& all) {
  constexpr unsigned kDigit = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigit;
  const auto [least, most] = std::ranges::minmax(all, {}, &Numbered::key);
  const std::uint64_t base = least.key;
  const auto bits = static_cast<unsigned>(std::bit_width(most.key - base));
  memory::Vector<Numbered> other(all.size());
  for (unsigned shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [&](const Numbered& one) {
      return ((one.key - base) >> shift) & (kDigits - 1);
    };
    std::array<std::uint32_t, kDigits> next{};
    for (const auto& one : all) ++next[digit(one)];
    std::uint32_t before = 0;
    for (auto& count : next) before += std::exchange(count, before);
    for (const auto& one : all) other[next[digit(one)]++] = one;
    std::swap(all, other);
  }
}

}  // namespace

// By a number, then by `less`.
template <typename Key, typename Less>
void Waits::put_in_order(Key&& key, Less&& less) {
  const auto in_order = [&](std::size_t i) {
    const Wait &before = (*this)[i - 1], &here = (*this)[i];
    const auto a = key(before), b = key(here);
    return a < b || (a == b && !less(here, before));
  };
  std::size_t ordered = 1;
  while (ordered < size() && in_order(ordered)) ++ordered;
  if (ordered >= size()) return;
  memory::Vector<Numbered> keys(size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto n = static_cast<std::uint32_t>(number(i));
    keys[i] = {key(waits_[n]), n};
  }
  sort_by_key(keys);
  order_.resize(keys.size());
  for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
    while (last < keys.size() && keys[last].key == keys[first].key) {
      order_[last] = keys[last].number;
      ++last;
    }
    if (last - first == 1) continue;
    std::sort(order_.data() + first, order_.data() + last,
              [&](std::uint32_t a, std::uint32_t b) { return less(waits_[a], waits_[b]); });
  }
}

void Waits::order_by_call() {
  put_in_order([](const Wait& wait) { return (std::uint64_t{wait.location} << 32) | wait.call; },
               [](const Wait& a, const Wait& b) {
                 return std::tie(a.kind, a.cause_location, a.cause_call) <
                        std::tie(b.kind, b.cause_location, b.cause_call);
               });
}

void Waits::order_by_time() {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  put_in_order([](const Wait& wait) { return static_cast<std::uint64_t>(wait.when()) ^ kSign; },
               [](const Wait& a, const Wait& b) {
                 return std::tie(a.leave, a.location, a.point, a.cause_location) <
                        std::tie(b.leave, b.location, b.point, b.cause_location);
               });
}

}  // namespace latecomer::causes
