// SPDX-License-Identifier: BSD-3-Clause
// What a thread does without recording it: counted, so that what comes later keeps its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracer/record/format.hpp"

namespace latecomer::record {

// Messages of a channel, or operations on a communicator, window or file.
struct UnrecordedCount {
  UnrecordedOperation operation = UnrecordedOperation::kSend;
  std::uint64_t comm = 0;  // or window, or handle of a file
  std::uint32_t peer = 0;  // of messages
  std::uint32_t tag = 0;   // of messages; of a persistent collective operation its series
  std::uint64_t count = 0;
};

// Takes every record of the time that is not recorded, or of the calls that a filter leaves out,
// one after the other. MT: the owner only.
class Unrecorded {
 public:
  // A record that has to be written nevertheless, when recording goes on.
  struct Late {
    Kind kind = Kind::kEnd;
    std::uint64_t id = 0;
    std::uint64_t words[4] = {};
  };

  // Where the next record goes; account() takes it from there.
  std::uint64_t* space(std::uint64_t id) {
    account();
    id_ = id;
    return words_;
  }
  void account();

  // By operation, communicator, peer and tag.
  [[nodiscard]] std::vector<UnrecordedCount> counts() const;
  // What has its place before another record of this kind: it is to be written and is forgotten
  // here. Of sends `word` is the first one, and it is their channel; of completions the request,
  // and it is what comes before its start; of others all of their kind.
  [[nodiscard]] bool stands_before(Kind kind, std::uint64_t id, std::uint64_t word) const;
  [[nodiscard]] Unrecorded take_before(Kind kind, std::uint64_t id, std::uint64_t word);
  // Leaves of regions that were entered before.
  [[nodiscard]] const std::vector<Late>& leaves() const { return leaves_; }
  // Completions of receives and collective operations that were started before, and those that were
  // started meanwhile and are still open, in this order.
  [[nodiscard]] std::vector<Late> requests() const;
  // Regions of the program that were entered meanwhile and are open.
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
      std::uint64_t h = (c.words ^ c.comm << 20) * 0x9e3779b97f4a7c15;
      h ^= (h >> 29) + static_cast<std::uint64_t>(c.operation);
      return h * 0x9e3779b97f4a7c15;
    }
  };
  struct Started {
    std::uint64_t order = 0;
    Kind kind = Kind::kEnd;
  };

  void count(UnrecordedOperation operation, std::uint64_t channel) {
    ++counts_[{id_, channel, operation}];
  }
  // Operations that have places among each other.
  enum class Order : std::uint8_t { kSends, kReceives, kCollectives, kOneSided, kFiles, kNone };
  static Order order_of(Kind kind);
  static Order order_of(UnrecordedOperation operation);
  void start(Kind kind);
  bool complete(Kind kind);

  std::uint64_t words_[8] = {};  // one record and the zero behind it
  std::uint64_t id_ = 0;
  std::uint64_t started_ = 0;
  std::unordered_map<Channel, std::uint64_t, Hash> counts_;
  std::unordered_map<std::uint64_t, Started> open_;  // requests started meanwhile
  std::vector<Late> leaves_, completions_;
  std::vector<std::uint64_t> entered_;
};

}  // namespace latecomer::record
