// SPDX-License-Identifier: BSD-3-Clause
// The messages that arrived at a process of the analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// What travels from the host of a sender to the host of the receiver.
struct SentMessage {
  std::uint32_t target = 0, source = 0;  // world ranks
  std::uint32_t comm = 0, tag = 0;
  std::uint32_t location = 0, index = 0;  // where the send stands: LocationEvents::sends[index]
  trace::Ticks enter = 0;                 // of the call that sent
  trace::Ticks time = 0;                  // of the send record
  // Not a message but so many (`index`) that the sender did not record.
  [[nodiscard]] bool is_gap() const { return location == trace::kNone; }
};

// Grouped by the world rank that they are for; those of one source in the order of sending. Copied
// once, since they are looked at several times and far apart in the batches.
class Inbox {
 public:
  Inbox(std::vector<parallel::Bytes> batches, const trace::Definitions& definitions);

  // Those for one world rank.
  class Part {
   public:
    Part(const Inbox& inbox, std::uint32_t rank) : inbox_(inbox), rank_(rank) {}
    [[nodiscard]] std::size_t size() const {
      return inbox_.first_[rank_ + 1] - inbox_.first_[rank_];
    }
    [[nodiscard]] SentMessage operator[](std::size_t i) const {
      return inbox_.unpack(inbox_.sorted_[inbox_.first_[rank_] + i], rank_);
    }

   private:
    const Inbox& inbox_;
    std::uint32_t rank_;
  };
  [[nodiscard]] Part of(std::uint32_t rank) const { return {*this, rank}; }

  // f(message) may give it other times.
  template <typename F>
  void change_all(F&& f) {
    for (std::uint32_t rank = 0; rank + 1 < first_.size(); ++rank) {
      for (auto i = first_[rank]; i < first_[rank + 1]; ++i) {
        SentMessage message = unpack(sorted_[i], rank);
        f(message);
        pack(message, sorted_[i]);
      }
    }
  }

 private:
  // In 24 bytes: the source is that of the location. Times below 2^47 ticks, calls that sent within
  // 2^32 ticks, 65,535 communicators; others, and gaps, are kept whole.
  struct Packed {
    std::uint32_t location, index, tag, since_enter;
    std::int64_t time : 48;
    std::uint64_t comm : 16;  // kOdd: number `index` of odd_
  };
  static constexpr std::uint16_t kOdd = 0xffff;
  void pack(const SentMessage& message, Packed& to);
  [[nodiscard]] SentMessage unpack(const Packed& from, std::uint32_t target) const {
    if (from.comm == kOdd) [[unlikely]]
      return odd_[from.index];
    const std::int64_t time = from.time;
    return {target,
            definitions_->locations[from.location].process,
            static_cast<std::uint32_t>(from.comm),
            from.tag,
            from.location,
            from.index,
            time - from.since_enter,
            time};
  }

  const trace::Definitions* definitions_;
  std::vector<std::size_t> first_;  // per world rank
  memory::Vector<Packed> sorted_;
  std::vector<SentMessage> odd_;
};

}  // namespace latecomer::replay
