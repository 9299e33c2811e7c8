// SPDX-License-Identifier: BSD-3-Clause
// Exact quantiles of values that are spread over processes, found eight bits at a time. Counts of
// values with the same highest bits show which of them contain the quantile. The next bits follow
// in the same way.
#include "analyzer/booking/statistics.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace latecomer::replay {
namespace {

using trace::Ticks;
__extension__ using Wide = unsigned __int128;

constexpr std::array<int, 3> kQuarters = {1, 2, 3};

// One quantile of one metric, found from its highest bits down.
struct Quantile {
  const Statistics::Values* waits = nullptr;
  std::int64_t rank = 0;  // counted from 0 among the values with the prefix
  unsigned bits = 0;      // number of bits after the prefix that are not known yet
  std::uint64_t prefix = 0;
  // Own values with the prefix, once they are few enough to justify the memory.
  bool has_left = false;
  std::vector<std::uint64_t> left = {};
};

// Calls f(value) for the own values with the prefix.
template <typename F>
void for_each_left(const Quantile& quantile, F&& f) {
  const auto [bits, prefix] = std::pair(quantile.bits, quantile.prefix);
  if (quantile.has_left) {
    for (const auto value : quantile.left) {
      if (value >> bits == prefix) f(value);
    }
    return;
  }
  quantile.waits->for_each([&](Ticks wait) {
    const auto value = static_cast<std::uint64_t>(wait);
    if (value >> bits == prefix) f(value);
  });
}

// Each round finds eight more bits of all quantiles. Values of one metric:
//
//   prefix 0x12, rank 70; 40 values begin with 0x1200, 50 with 0x1201: prefix 0x1201, rank 30
void find_quantiles(std::vector<Quantile>& quantiles, parallel::Processes& processes) {
  constexpr std::size_t kFew = 8;  // values are copied once they are at most one 8th of all
  std::vector<std::int64_t> counts(quantiles.size() * 256), own;
  const auto is_open = [](const Quantile& one) { return one.bits > 0; };
  while (std::ranges::any_of(quantiles, is_open)) {
    std::ranges::fill(counts, 0);
    for (std::size_t q = 0; q < quantiles.size(); ++q) {
      const auto& one = quantiles[q];
      if (!is_open(one)) continue;
      if (q > 0 && one.waits == quantiles[q - 1].waits && one.prefix == quantiles[q - 1].prefix) {
        std::copy_n(&counts[(q - 1) * 256], 256, &counts[q * 256]);
        continue;
      }
      const unsigned step = std::min(one.bits, 8U), shift = one.bits - step;
      const std::uint64_t mask = (1U << step) - 1;
      for_each_left(
          one, [&, at = &counts[q * 256]](std::uint64_t value) { ++at[(value >> shift) & mask]; });
    }
    // Counts over all processes decide; the own counts say how many own values are left.
    own = counts;
    processes.sum(counts);
    for (std::size_t q = 0; q < quantiles.size(); ++q) {
      auto& quantile = quantiles[q];
      if (!is_open(quantile)) continue;
      const unsigned step = std::min(quantile.bits, 8U);
      const std::uint64_t last = (1U << step) - 1;
      std::uint64_t digit = 0;
      while (digit < last && quantile.rank >= counts[q * 256 + digit]) {
        quantile.rank -= counts[q * 256 + digit++];
      }
      quantile.prefix = quantile.prefix << step | digit;
      quantile.bits -= step;
      const auto mine = static_cast<std::size_t>(own[q * 256 + digit]);
      if (!is_open(quantile) || mine * kFew > quantile.waits->size()) continue;
      std::vector<std::uint64_t> left;
      left.reserve(mine);
      for_each_left(quantile, [&](std::uint64_t value) { left.push_back(value); });
      quantile.left = std::move(left);
      quantile.has_left = true;
    }
  }
}

}  // namespace

bool Instance::worse_than(const Instance& other) const {
  return std::tie(other.wait, rank, enter, call_path) <
         std::tie(wait, other.rank, other.enter, other.call_path);
}

void Statistics::keep_worst(Waits& to, const Instance& instance) {
  if (to.worst.size() == kWorst && !instance.worse_than(to.worst.back())) return;
  const auto worse = [](const Instance& a, const Instance& b) { return a.worse_than(b); };
  to.worst.insert(std::ranges::upper_bound(to.worst, instance, worse), instance);
  if (to.worst.size() > kWorst) to.worst.pop_back();
}

void Statistics::keep_by_path(Waits& to, const Instance& instance) {
  if (instance.call_path >= to.path_index.size()) {
    to.path_index.resize(instance.call_path + 1, trace::kNone);
  }
  auto& index = to.path_index[instance.call_path];
  if (index == trace::kNone) {
    index = static_cast<std::uint32_t>(to.by_path.size());
    to.by_path.push_back(instance);
  } else if (instance.worse_than(to.by_path[index])) {
    to.by_path[index] = instance;
  }
}

// Sums and extremes take two exchanges, quantiles one per eight bits.
std::vector<MetricStatistics> Statistics::find(parallel::Processes& processes) const {
  // Sums of squares need 128 bits. They are added in four parts of 32 bits each.
  constexpr std::size_t kParts = 6;  // count, sum, and those four
  std::vector<std::int64_t> sums(metrics_.size() * kParts);
  std::vector<MetricStatistics> all(metrics_.size());
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    auto* const part = &sums[m * kParts];
    Wide squares = 0;
    Ticks sum = 0, minimum = INT64_MAX, maximum = 0;
    metrics_[m].waits.for_each([&](Ticks wait) {
      sum += wait;
      squares += static_cast<Wide>(wait) * static_cast<Wide>(wait);
      minimum = std::min(minimum, wait);
      maximum = std::max(maximum, wait);
    });
    part[1] = sum;
    all[m].minimum = minimum;
    all[m].maximum = maximum;
    part[0] = static_cast<std::int64_t>(metrics_[m].waits.size());
    for (unsigned i = 0; i < 4; ++i) {
      part[2 + i] = static_cast<std::int64_t>((squares >> (32 * i)) & 0xffffffff);
    }
  }
  processes.sum(sums);
  parallel::Packer pack;
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    if (metrics_[m].waits.empty() && metrics_[m].by_path.empty()) continue;
    pack.put(m);
    pack.put(all[m].minimum);
    pack.put(all[m].maximum);
    pack.put_all(std::span(metrics_[m].worst));
    pack.put_all(std::span(metrics_[m].by_path));
  }
  std::vector<Waits> merged(metrics_.size());
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto m = in.get<std::uint32_t>();
      all[m].minimum = std::min(all[m].minimum, in.get<Ticks>());
      all[m].maximum = std::max(all[m].maximum, in.get<Ticks>());
      for (const auto& one : in.get_all<Instance>()) keep_worst(merged[m], one);
      for (const auto& one : in.get_all<Instance>()) keep_by_path(merged[m], one);
    }
  }
  std::vector<MetricStatistics> out;
  std::vector<Quantile> quantiles;
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    const auto* const part = &sums[m * kParts];
    if (part[0] == 0) continue;
    auto& one = out.emplace_back(std::move(all[m]));
    one.metric = m;
    one.count = part[0];
    one.sum = part[1];
    Wide squares = 0;
    for (unsigned i = 0; i < 4; ++i) squares += static_cast<Wide>(part[2 + i]) << (32 * i);
    // Variance E[x^2] - E[x]^2; rounding must not make it negative.
    const auto n = static_cast<long double>(one.count),
               mean = static_cast<long double>(one.sum) / n;
    one.variance =
        static_cast<double>(std::max(0.0L, static_cast<long double>(squares) / n - mean * mean));
    one.worst = std::move(merged[m].worst);
    one.by_path = std::move(merged[m].by_path);
    std::ranges::sort(one.by_path,
                      [](const Instance& a, const Instance& b) { return a.worse_than(b); });
    if (one.by_path.size() > kPaths) one.by_path.resize(kPaths);
    const auto bits = std::bit_width(static_cast<std::uint64_t>(one.maximum));
    for (const int quarter : kQuarters) {
      // Nearest rank: the value at position ceil(quarter / 4 * count), counted from 1.
      quantiles.push_back(
          {&metrics_[m].waits, (quarter * one.count + 3) / 4 - 1, static_cast<unsigned>(bits)});
    }
  }
  find_quantiles(quantiles, processes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].quartile25 = static_cast<Ticks>(quantiles[3 * i].prefix);
    out[i].median = static_cast<Ticks>(quantiles[3 * i + 1].prefix);
    out[i].quartile75 = static_cast<Ticks>(quantiles[3 * i + 2].prefix);
  }
  return out;
}

}  // namespace latecomer::replay
