// SPDX-License-Identifier: BSD-3-Clause
// Merges message statistics of all processes and writes them as JSON.
#include "analyzer/waits/message_statistics.hpp"

#include <algorithm>

namespace latecomer::replay {
namespace {

using nlohmann::json;

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

json MessageStatistics::json(parallel::Processes& processes) const {
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
  auto classes = nlohmann::json::array();
  for (std::size_t link = 0; link < kLinks; ++link) {
    for (std::size_t width = 0; width < kSizes; ++width) {
      const Class& one = all[link][width];
      if (one.messages == 0) continue;
      nlohmann::json entry = {{"link", kLinkNames[link]},
                              {"from_bytes", width == 0 ? 0 : std::uint64_t{1} << (width - 1)},
                              {"messages", one.messages},
                              {"bytes", one.bytes},
                              {"measured", one.measured}};
      if (one.together > 0) entry["together"] = one.together;
      if (one.measured > 0) {
        entry["shortest"] = static_cast<double>(one.shortest) / second;
        entry["mean"] = static_cast<double>(one.time) / static_cast<double>(one.measured) / second;
        entry["longest"] = static_cast<double>(one.longest) / second;
        entry["best_bandwidth"] = one.fastest * second;
        auto histogram = nlohmann::json::array();
        for (std::size_t i = 0; i < one.histogram.size(); ++i) {
          if (one.histogram[i] == 0) continue;
          histogram.push_back(
              {static_cast<double>(std::uint64_t{1} << i) / second, one.histogram[i]});
        }
        entry["times"] = std::move(histogram);
        auto bandwidths = nlohmann::json::array();
        for (std::size_t i = 0; i < one.bandwidths.size(); ++i) {
          if (one.bandwidths[i] == 0) continue;
          bandwidths.push_back({static_cast<double>(std::uint64_t{1} << i), one.bandwidths[i]});
        }
        entry["bandwidths"] = std::move(bandwidths);
      }
      classes.push_back(std::move(entry));
    }
  }
  auto pairs = nlohmann::json::array();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (sums[2 * i] != 0) {
      pairs.push_back({i / blocks_, i % blocks_, sums[2 * i], sums[2 * i + 1]});
    }
  }
  return {{"sizes", std::move(classes)},
          {"matrix", {{"ranks_per_block", per_block_}, {"blocks", blocks_}, {"pairs", pairs}}}};
}

}  // namespace latecomer::replay
