// SPDX-License-Identifier: BSD-3-Clause
// Counts what a thread does without recording it, so that later operations keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "archive/hash.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::record {

// Number of messages on a channel, or of operations on a communicator, window or file.
struct UnrecordedCount {
  UnrecordedOperation operation = UnrecordedOperation::kSend;
  std::uint64_t comm = 0;  // or window, or handle of a file
  std::uint32_t peer = 0;  // for messages; a group or target for epochs and locks
  std::uint32_t tag = 0;   // for messages; the series for persistent collective operations
  std::uint64_t count = 0;
};

// Takes one by one the records made while recording is off, or in calls that a filter leaves out.
// MT: the owner only.
class Unrecorded {
 public:
  // A record that must still be written when recording resumes.
  struct Late {
    Kind kind = Kind::kEnd;
    std::uint64_t id = 0;
    std::uint64_t words[4] = {};
  };

  // Buffer for the next record. The one before it is taken into account first.
  std::uint64_t* space(std::uint64_t id) {
    account();
    id_ = id;
    return words_;
  }
  // Counts the record in the buffer, if there is one.
  void account();

  // Counts in the order of operation, communicator, peer and tag.
  [[nodiscard]] std::vector<UnrecordedCount> counts() const;
  // True if a part of what is counted here has its place before a record of this kind.
  // take_before() removes and returns that part, which is to be written. It depends on the record:
  //
  //   send           `word` is its first payload word: the messages on its channel
  //   completion     `word` is its request: all of its order, if the request was started here
  //   other kinds    all of its order
  [[nodiscard]] bool stands_before(Kind kind, std::uint64_t id, std::uint64_t word) const;
  [[nodiscard]] Unrecorded take_before(Kind kind, std::uint64_t id, std::uint64_t word);
  // Leaves of regions that were entered before recording was off.
  [[nodiscard]] const std::vector<Late>& leaves() const { return leaves_; }
  // Completions of receives and collective operations that were started before. They are followed
  // by the requests that were started meanwhile and are still open.
  [[nodiscard]] std::vector<Late> requests() const;
  // Regions of the program that were entered meanwhile and are still open.
  [[nodiscard]] const std::vector<std::uint64_t>& entered() const { return entered_; }

 private:
  struct Channel {
    std::uint64_t comm = 0;
    std::uint64_t words = 0;  // peer | tag << 32
    UnrecordedOperation operation = UnrecordedOperation::kSend;
    friend bool operator==(const Channel&, const Channel&) = default;
  };
  struct Hash {
    std::size_t operator()(const Channel& c) const {
      std::uint64_t h = spread(c.words ^ c.comm << 20);
      h ^= (h >> 29) + static_cast<std::uint64_t>(c.operation);
      return spread(h);
    }
  };
  struct Started {
    std::uint64_t order = 0;
    Kind kind = Kind::kEnd;
  };

  void count(UnrecordedOperation operation, std::uint64_t channel) {
    ++counts_[{id_, channel, operation}];
  }
  // Groups of operations that have an order among each other.
  enum class Order : std::uint8_t { kSends, kReceives, kCollectives, kOneSided, kFiles, kNone };
  static Order order_of(Kind kind);
  static Order order_of(UnrecordedOperation operation);
  void start(Kind kind);
  bool complete(Kind kind);

  std::uint64_t words_[kMostExtendedWords + 2] = {};  // one record and the zero word after it
  std::uint64_t id_ = 0;
  std::uint64_t started_ = 0;
  std::unordered_map<Channel, std::uint64_t, Hash> counts_;
  std::unordered_map<std::uint64_t, Started> open_;  // requests started meanwhile
  std::vector<Late> leaves_, completions_;
  std::vector<std::uint64_t> entered_;
};

}  // namespace latecomer::record
