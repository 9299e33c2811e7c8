// SPDX-License-Identifier: BSD-3-Clause
// Amounts of data per pair of processes, and transfer times by size and class of link.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/match/received_message.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/message_sizes.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// Statistics of the messages received by hosted locations.
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

  // Begins the next receiving location; its messages follow.
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
    // The transfer time is visible only if the receiver was already waiting.
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

  // Ends a location after its last message. A call that completes several messages ends when the
  // last one has arrived. That gives an upper limit for the time of the message sent last, and
  // nothing for the others.
  //
  //   MPI_Waitall from 2 to 9; sent at 5 and 7     7 .. 9: measured; 5 ..: together
  void end();

  // The statistics of all processes. Collective.
  [[nodiscard]] report::Messages result(parallel::Processes& processes) const;

 private:
  // Messages from one block of ranks to another.
  struct Pair {
    std::int64_t messages = 0, bytes = 0;
  };
  // Messages of one class of sizes over one class of links.
  struct Class {
    std::int64_t messages = 0, bytes = 0;
    // Awaited but not measured: completed together with a message that was sent later.
    std::int64_t together = 0;
    std::int64_t measured = 0, time = 0, shortest = INT64_MAX, longest = 0;
    double fastest = 0;  // bytes per tick
    // Histograms by logarithm of the time, and of the bytes per second.
    std::array<std::int64_t, 64> histogram{}, bandwidths{};

    void measure(trace::Ticks taken, std::int64_t size, double ticks_per_second) {
      ++measured;
      time += taken;
      shortest = std::min(shortest, taken);
      longest = std::max(longest, taken);
      const double bandwidth = static_cast<double>(size) / static_cast<double>(taken);
      fastest = std::max(fastest, bandwidth);
      const double per_second = bandwidth * ticks_per_second;
      // No clock can truly show more than 2^62 bytes per second.
      if (per_second >= 1) {
        ++bandwidths[static_cast<std::size_t>(std::min(62, std::ilogb(per_second)))];
      }
      ++histogram[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(taken)) - 1)];
    }
    void merge(const Class& other);
    // Times in seconds; `second`: ticks. Some message was measured.
    [[nodiscard]] report::Messages::Measured times(double second) const;
  };
  // A message that MPI_Waitall or Waitsome was waiting for.
  struct Awaited {
    std::uint32_t call = trace::kNone;
    trace::Ticks sent = 0, received = 0;
    std::int64_t size = 0;
    Class* of = nullptr;
  };
  // Adds the messages of one call after the other.
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
  // State for the current location:
  bool in_order_ = false;     // its messages come in the order of the calls that complete them
  std::uint32_t column_ = 0;  // its column of pairs_
  memory::Vector<Awaited> together_;  // messages to be sorted, if they come in another order
  Awaited last_;                      // the message sent last among those of a call
};

}  // namespace latecomer::replay
