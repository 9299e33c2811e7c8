// SPDX-License-Identifier: BSD-3-Clause
// A step of a location in a replay: a duration, something that others need, or a need.
#pragma once

#include <cstddef>
#include <cstdint>

namespace latecomer::engine {

// Waiting times are kept by phase of the program: kNoPhase, or 1 to 15.
inline constexpr std::size_t kPhases = 16;
inline constexpr std::uint8_t kNoPhase = 0;

// A step of a location, in eight bytes: 4 bits kind, 4 bits phase or flags, and 56 bits that are
// either ticks or the numbers a (24 bits) and b (32 bits).
class Step {
 public:
  enum class Kind : std::uint8_t {
    kWork,           // a duration in ticks
    kSend,           // the location's next send, after so many ticks
    kPost,           // posts the receive for send b of location a
    kArrive,         // arrives at instance b on communicator a
    kMark,           // the location reaches place b
    kNeedSend,       // send b of location a has begun
    kNeedPost,       // the receive for the location's own send b is posted
    kNeedAll,        // all members have arrived at instance b on communicator a
    kNeedRoot,       // the root of that instance has arrived
    kNeedLower,      // the members up to the own one have arrived
    kNeedNeighbors,  // the members that data come from have arrived
    kNeedMark,       // location a has reached its place b
    // Only whole runs have the following, in which calls of MPI keep their own time.
    kCall,  // a call of so many ticks begins; what it needs follows, then its kOwn
    kLag,   // the next need is met so many ticks after what it names; may be negative
    kOwn,   // the time that the call takes apart from its needs
    kRate,  // the next duration has rate b, or this share of latency (Step::kWholeShare); with the
            // value kMoved: the next lag becomes so many ticks longer (below 0: shorter)
  };
  // Flags of kArrive, stored instead of a phase.
  static constexpr std::uint8_t kSends = 1, kIsRoot = 2, kOrdered = 4, kNeedsNothing = 8;
  // Values of kWork, kOwn, kLag and kRate, stored instead of a phase: the duration is as recorded,
  // has a rate, or a share of latency; the need is dropped if sends become eager.
  static constexpr std::uint8_t kAsRecorded = 0, kRated = 1, kShared = 2, kIfBlocked = 3,
                                kMoved = 4;
  static constexpr std::uint32_t kWholeShare = 1U << 16;
  // Largest number of a location or communicator that fits.
  static constexpr std::uint32_t kLargest = (1U << 24) - 1;

  Step() = default;
  static constexpr std::int64_t kMostTicks = (std::int64_t{1} << 56) - 1;
  static Step work(std::int64_t ticks) {
    return {Kind::kWork, 0, static_cast<std::uint64_t>(ticks)};
  }
  static Step send(std::int64_t ticks) {
    return {Kind::kSend, 0, static_cast<std::uint64_t>(ticks)};
  }
  static Step duration(Kind kind, std::uint8_t how, std::int64_t ticks) {
    return {kind, how, static_cast<std::uint64_t>(ticks)};
  }
  Step(Kind kind, std::uint8_t phase, std::uint32_t a, std::uint32_t b)
      : Step(kind, phase, (std::uint64_t{a} << 32) | b) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(bits_ >> 60); }
  [[nodiscard]] std::uint8_t phase() const { return (bits_ >> 56) & 15; }
  [[nodiscard]] std::int64_t ticks() const { return static_cast<std::int64_t>(bits_ & kTicks); }
  [[nodiscard]] std::int64_t signed_ticks() const {
    return static_cast<std::int64_t>(bits_ << 8) >> 8;
  }
  [[nodiscard]] std::uint32_t a() const { return static_cast<std::uint32_t>(ticks() >> 32); }
  [[nodiscard]] std::uint32_t b() const { return static_cast<std::uint32_t>(bits_); }

 private:
  static constexpr std::uint64_t kTicks = kMostTicks;
  Step(Kind kind, std::uint8_t phase, std::uint64_t rest)
      : bits_((std::uint64_t{static_cast<std::uint8_t>(kind)} << 60) |
              (std::uint64_t{phase} << 56) | (rest & kTicks)) {}
  std::uint64_t bits_;  // no default value, so that vectors of steps need not be cleared
};

}  // namespace latecomer::engine
