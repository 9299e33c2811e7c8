// SPDX-License-Identifier: BSD-3-Clause
// Merges message statistics of all processes.
#include "analyzer/waits/message_statistics.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::replay {
namespace {

constexpr const char* kLinkNames[] = {"node", "metahost", "external"};

}  // namespace

void MessageStatistics::end() {
  std::ranges::stable_sort(together_, {}, &Awaited::call);
  for (const Awaited& one : together_) add(one);
  together_.clear();
  end_call();
}

void MessageStatistics::Class::merge(const Class& other) {
  messages += other.messages;
  bytes += other.bytes;
  together += other.together;
  measured += other.measured;
  time += other.time;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  fastest = std::max(fastest, other.fastest);
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    histogram[i] += other.histogram[i];
    bandwidths[i] += other.bandwidths[i];
  }
}

report::Messages::Measured MessageStatistics::Class::times(double second) const {
  report::Messages::Measured out;
  out.shortest = static_cast<double>(shortest) / second;
  out.mean = static_cast<double>(time) / static_cast<double>(measured) / second;
  out.longest = static_cast<double>(longest) / second;
  out.best_bandwidth = fastest * second;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const auto from = static_cast<double>(std::uint64_t{1} << i);
    if (histogram[i] != 0) out.times.push_back({from / second, histogram[i]});
    if (bandwidths[i] != 0) out.bandwidths.push_back({from, bandwidths[i]});
  }
  return out;
}

report::Messages MessageStatistics::result(parallel::Processes& processes) const {
  std::vector<std::int64_t> sums;
  for (const auto& pair : pairs_) {
    sums.push_back(pair.messages);
    sums.push_back(pair.bytes);
  }
  processes.sum(sums);
  parallel::Packer pack;
  for (const auto& sizes : classes_) {
    for (const auto& one : sizes) pack.put(one);
  }
  std::array<std::array<Class, kSizes>, kLinks> all{};
  for (const auto& bytes : processes.all_gather(pack.take())) {
    parallel::Unpacker in(bytes);
    for (auto& sizes : all) {
      for (auto& one : sizes) one.merge(in.get<Class>());
    }
  }

  const auto second = static_cast<double>(booking_.definitions.ticks_per_second);
  report::Messages out;
  for (std::size_t link = 0; link < kLinks; ++link) {
    for (std::size_t width = 0; width < kSizes; ++width) {
      const Class& one = all[link][width];
      if (one.messages == 0) continue;
      report::Messages::Class entry{.link = kLinkNames[link],
                                    .from_bytes = width == 0 ? 0 : std::uint64_t{1} << (width - 1),
                                    .messages = one.messages,
                                    .bytes = one.bytes,
                                    .measured = one.measured,
                                    .together = one.together,
                                    .times = {}};
      if (one.measured > 0) entry.times = one.times(second);
      out.sizes.push_back(std::move(entry));
    }
  }
  out.ranks_per_block = per_block_;
  out.blocks = blocks_;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (sums[2 * i] != 0) {
      out.pairs.push_back({i / blocks_, i % blocks_, sums[2 * i], sums[2 * i + 1]});
    }
  }
  return out;
}

}  // namespace latecomer::replay
