// SPDX-License-Identifier: BSD-3-Clause
// Who sends how much to whom, and how long messages take by size and by class of link.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/received_message.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

class MessageStatistics {
 public:
  static constexpr std::uint32_t kMostBlocks = 256;  // rows and columns of the matrix

  explicit MessageStatistics(const Booking& booking)
      : booking_(booking),
        ticks_per_second_(static_cast<double>(booking.definitions.ticks_per_second)),
        ranks_(static_cast<std::uint32_t>(booking.definitions.processes.size())),
        per_block_(std::max(1u, (ranks_ + kMostBlocks - 1) / kMostBlocks)),
        blocks_(std::max(1u, (ranks_ + per_block_ - 1) / per_block_)),
        pairs_(std::size_t{blocks_} * blocks_) {}

  // Messages that are received by a hosted location; location by location.
  void start(const Receiver& to) {
    in_order_ = to.in_order;
    column_ = to.rank / per_block_;
  }
  void on_message(const Receiver& to, const ReceivedMessage& message) {
    const auto& [receive, send, call, posted, link, kind] = message;
    const std::uint64_t bytes = to.events.bytes(receive);
    const auto size = static_cast<std::int64_t>(bytes);
    const std::uint32_t row = per_block_ == 1 ? send.source : send.source / per_block_;
    Pair& pair = pairs_[std::size_t{row} * blocks_ + column_];
    ++pair.messages;
    pair.bytes += size;
    Class& of =
        classes_[static_cast<std::size_t>(link)][static_cast<std::size_t>(std::bit_width(bytes))];
    ++of.messages;
    of.bytes += size;
    // Only a receiver that is waiting already sees how long a message takes.
    if (call.enter > send.enter || receive.time <= send.time) return;
    if (receive.call == receive.other) {
      if (booking_.send_mode_of(call) == patterns::SendMode::kSendrecv) return;
    } else if (kind == patterns::CallKind::kWaitMultiple) {
      const Awaited one{receive.call, send.time, receive.time, size, &of};
      if (in_order_) {
        add(one);
      } else {
        together_.push_back(one);
      }
      return;
    } else if (kind != patterns::CallKind::kWaitSingle) {
      return;
    }
    of.measure(receive.time - send.time, size, ticks_per_second_);
  }

  // After the last message of the location. A call that completes several ends when the last one is
  // there: that tells of the one that was sent last how long it took at most, and nothing of the
  // others.
  //
  //   MPI_Waitall from 2 to 9; sent at 5 and 7     7 .. 9: measured; 5 ..: together
  void end();

  // Key "messages" of latecomer.json. Collective.
  [[nodiscard]] nlohmann::json json(parallel::Processes& processes) const;

 private:
  struct Pair {
    std::int64_t messages = 0, bytes = 0;
  };
  // Messages of one class of sizes over one class of links.
  struct Class {
    std::int64_t messages = 0, bytes = 0;
    std::int64_t together = 0;  // awaited, not measured: completed with one that was sent later
    std::int64_t measured = 0, time = 0, shortest = INT64_MAX, longest = 0;
    double fastest = 0;  // bytes per tick
    // By logarithm of the time, and of the bytes per second.
    std::array<std::int64_t, 64> histogram{}, bandwidths{};

    void measure(trace::Ticks taken, std::int64_t size, double ticks_per_second) {
      ++measured;
      time += taken;
      shortest = std::min(shortest, taken);
      longest = std::max(longest, taken);
      const double bandwidth = static_cast<double>(size) / static_cast<double>(taken);
      fastest = std::max(fastest, bandwidth);
      const double per_second = bandwidth * ticks_per_second;
      // 2^62 bytes per second are more than any clock can show for true.
      if (per_second >= 1) {
        ++bandwidths[static_cast<std::size_t>(std::min(62, std::ilogb(per_second)))];
      }
      ++histogram[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(taken)) - 1)];
    }
    void merge(const Class& other);
  };
  // A message that MPI_Waitall or Waitsome was waiting for.
  struct Awaited {
    std::uint32_t call = trace::kNone;
    trace::Ticks sent = 0, received = 0;
    std::int64_t size = 0;
    Class* of = nullptr;
  };
  // Call by call.
  void add(const Awaited& one) {
    if (one.call != last_.call) {
      end_call();
      last_ = one;
      return;
    }
    if (one.sent >= last_.sent) {
      ++last_.of->together;
      last_ = one;
    } else {
      ++one.of->together;
    }
  }
  void end_call() {
    if (last_.of != nullptr) {
      last_.of->measure(last_.received - last_.sent, last_.size, ticks_per_second_);
    }
    last_ = {};
  }
  static constexpr std::size_t kLinks = 3, kSizes = 65;

  const Booking& booking_;
  const double ticks_per_second_;
  const std::uint32_t ranks_, per_block_, blocks_;
  std::vector<Pair> pairs_;  // sender x receiver
  std::array<std::array<Class, kSizes>, kLinks> classes_{};
  // Of the location whose messages come.
  bool in_order_ = false;             // of the calls that complete them
  std::uint32_t column_ = 0;          // of pairs_
  memory::Vector<Awaited> together_;  // if they do not come in order
  Awaited last_;                      // sent last of those of a call
};

}  // namespace latecomer::replay
