// SPDX-License-Identifier: BSD-3-Clause
// Contents of the earlier records of a chunk, so that a repetition takes one word.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "archive/hash.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::record {

// Id and payload of the record of a message or collective operation, without the request.
struct Contents {
  std::uint64_t id = kNoContents;
  std::uint64_t w1 = 0, w2 = 0, w3 = 0;
  // Compared word by word, since the compiler turns arrays into calls and memory accesses.
  friend bool operator==(const Contents& a, const Contents& b) {
    return ((a.id ^ b.id) | (a.w1 ^ b.w1) | (a.w2 ^ b.w2) | (a.w3 ^ b.w3)) == 0;
  }

  static constexpr std::uint64_t kNoContents = ~std::uint64_t{0};
};

// Writer and reader keep one each and make the same entry for each record. A slot and a distance
// between requests are then enough to repeat a record. The writer may forget entries at any time,
// because the next whole record replaces the entry on both sides. It must not know any entry that
// the reader does not have.
class Repeats {
 public:
  static constexpr unsigned kSlotBits = 8;
  // Bits of the distance between requests: alone, and beside a slot. One bit of the id is kLeaves.
  static constexpr unsigned kFarBits = kIdBits - 1;
  static constexpr unsigned kRequestBits = kFarBits - kSlotBits;

  // Bit beside the slot of kCollectiveEndAgain: the operation began at the time of the previous
  // record.
  static constexpr std::uint64_t kBegins = std::uint64_t{1} << kSlotBits;

  static bool begins(std::uint64_t head) {
    return (kind_of(head) == Kind::kCollectiveEndAgain ||
            kind_of(head) == Kind::kEnterCollectiveEndAgain) &&
           (head >> kKindBits & kBegins) != 0;
  }

  // The rotations keep peer, tag and sizes apart.
  static unsigned slot_of(const Contents& c) {
    const std::uint64_t mixed = c.w1 ^ std::rotl(c.w2, 24) ^ std::rotl(c.w3, 44) ^ c.id << 12;
    return slot_in_table(mixed, kSlotBits);
  }

  [[nodiscard]] const Contents& at(unsigned slot) const { return slots_[slot]; }
  void remember(unsigned slot, const Contents& c) {
    slots_[slot].id = c.id;
    slots_[slot].w1 = c.w1;
    slots_[slot].w2 = c.w2;
    slots_[slot].w3 = c.w3;
  }
  void forget(unsigned slot) { slots_[slot].id = Contents::kNoContents; }

  // The request that was written last.
  [[nodiscard]] std::uint64_t request() const { return request_; }
  void set_request(std::uint64_t request) { request_ = request; }
  void forget_request() { request_ = kNoRequest; }
  // Computes the distance of a request from the last one as an unsigned field of `bits` bits, with
  // an offset of half its range. False: the request is too far away.
  [[nodiscard]] bool distance(std::uint64_t request, unsigned bits, std::uint64_t& field) const {
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    field = request - request_ + half;
    return field < 2 * half;
  }
  [[nodiscard]] std::uint64_t request_at(std::uint64_t field, unsigned bits) const {
    return request_ + field - (std::uint64_t{1} << (bits - 1));
  }

  void clear() {
    slots_.fill({});
    forget_request();
  }

 private:
  // Out of reach of all request numbers, with and without kLeftOut.
  static constexpr std::uint64_t kNoRequest = std::uint64_t{1} << 62;

  std::array<Contents, std::size_t{1} << kSlotBits> slots_{};
  std::uint64_t request_ = kNoRequest;
};

}  // namespace latecomer::record
