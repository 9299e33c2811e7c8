// SPDX-License-Identifier: BSD-3-Clause
// Constructs of threads that are repeated, such as a short parallel region: each takes one word.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "archive/hash.hpp"
#include "tracer/record/arguments.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/format.hpp"
#include "tracer/record/live_chunk.hpp"

namespace latecomer::record {

// A construct of one kind always has the same records. They are made in stages, each at one time:
//
//   kMaker      kTeamBegun with its fork | kTeamArrived | kLeave of barrier and parallel region
//   kMember     kTeamBegun | kTeamArrived
//   kTeamEnd    kTeamArrived | kLeave of both; if the parallel region has records inside or is long
//   kTeamLeft   kLeave of both; if the wait was too long for the word before
//   kWork       kEnter | kEnter of the barrier at its end | kLeave of it | kLeave
//   kCritical   kEnter | kLockAcquired, kEnter of the block | kLeave of it, kLockReleased | kLeave
enum class ConstructKind : std::uint8_t {
  kNone,
  kMaker,
  kMember,
  kTeamEnd,
  kTeamLeft,
  kWork,
  kCritical,
  kCount
};

// A record kConstructDefined puts it into a slot; words of kConstruct name the slot:
//
//   kConstructDefined   slot | kind << 8 | number << 32; outer | inner << 32; object
//
//   bit  0.. 5   Kind::kConstruct
//   bit  6..11   slot
//   bit 12..13   stage that was reached last
//   bit 14..63   distance of the number from the last one, less 1; ticks before each stage
//
// The number is that of the team, or of the earlier holders of the lock. It counts from the last
// one of this thread, or of this slot. The word grows as long as nothing else is recorded and the
// times fit their fields. Otherwise the rest of the records follows it.
struct Construct {
  ConstructKind kind = ConstructKind::kNone;
  RegionId outer = 0;        // parallel region, loop, critical section
  RegionId inner = 0;        // barrier, block
  std::uint32_t object = 0;  // threads asked for, lock

  // Compared word by word, since the compiler turns arrays into calls and memory accesses.
  friend bool operator==(const Construct& a, const Construct& b) {
    return ((a.outer ^ b.outer) | (a.inner ^ b.inner) | (a.object ^ b.object) |
            static_cast<unsigned>(a.kind != b.kind)) == 0;
  }
};

inline constexpr unsigned kConstructSlotBits = 6, kStageBits = 2;
inline constexpr unsigned kConstructSlots = 1U << kConstructSlotBits;
inline constexpr unsigned kStageShift = kKindBits + kConstructSlotBits;
inline constexpr unsigned kFieldShift = kStageShift + kStageBits;

// The fields of a construct word have these sizes, and it holds so many times.
struct ConstructFields {
  unsigned number = 0;              // bits of the distance of the number
  std::array<unsigned, 4> times{};  // bits of each time
  unsigned count = 0;               // of times so far; 0: there is no such stage
  unsigned records = 0;             // number of records that readers return
};
constexpr ConstructFields construct_fields(ConstructKind kind, unsigned stage) {
  constexpr std::array<unsigned, 4> kCriticalRecords = {1, 3, 5, 6};
  switch (kind) {
    case ConstructKind::kMaker:
      if (stage == 0) return {2, {24, 24, 0, 0}, 2, 1};  // too long for the other stages
      return {2, {12, 12, 12, 12}, 1 + stage, stage < 3 ? stage : 4};
    case ConstructKind::kMember:
      return {4, {23, 23, 0, 0}, stage < 2 ? 1 + stage : 0, 1 + stage};
    case ConstructKind::kTeamEnd:
      return {0, {25, 25, 0, 0}, stage < 2 ? 1 + stage : 0, 1 + 2 * stage};
    case ConstructKind::kTeamLeft:
      return {0, {40, 0, 0, 0}, stage < 1 ? 1U : 0U, 2};
    case ConstructKind::kWork:
      return {0, {13, 12, 13, 12}, stage > 0 ? 1 + stage : 0, 1 + stage};
    case ConstructKind::kCritical:
      return {8, {12, 10, 12, 8}, 1 + stage, kCriticalRecords[stage & 3]};
    default:
      return {};
  }
}
constexpr unsigned time_shift(const ConstructFields& fields, unsigned index) {
  unsigned shift = kFieldShift + fields.number;
  for (unsigned i = 0; i < index; ++i) shift += fields.times[i];
  return shift;
}
static_assert([] {
  for (unsigned kind = 0; kind < static_cast<unsigned>(ConstructKind::kCount); ++kind) {
    for (unsigned stage = 0; stage < 1U << kStageBits; ++stage) {
      if (time_shift(construct_fields(static_cast<ConstructKind>(kind), stage), 4) > 64)
        return false;
    }
  }
  return true;
}());

constexpr std::uint64_t construct_word(unsigned slot, unsigned stage) {
  return static_cast<std::uint64_t>(Kind::kConstruct) | std::uint64_t{slot} << kKindBits |
         std::uint64_t{stage} << kStageShift;
}
constexpr unsigned slot_in(std::uint64_t word) {
  return static_cast<unsigned>(word >> kKindBits) & (kConstructSlots - 1);
}
constexpr unsigned stage_in(std::uint64_t word) {
  return static_cast<unsigned>(word >> kStageShift) & ((1U << kStageBits) - 1);
}

// The table says what the constructs of a chunk are. Writer and reader keep one each and change it
// by the same records.
class Constructs {
 public:
  // Constructs of several kinds may have the same place.
  static unsigned slot_of(const Construct& c) {
    return static_cast<unsigned>(slot_in_table(
        std::uint64_t{c.outer} << 3 | static_cast<unsigned>(c.kind), kConstructSlotBits));
  }

  [[nodiscard]] const Construct& at(unsigned slot) const { return slots_[slot].construct; }
  void define(unsigned slot, const Construct& c, std::uint32_t number) {
    slots_[slot] = {c, number};
    if (c.kind == ConstructKind::kMaker || c.kind == ConstructKind::kMember) team_ = number;
  }
  void forget(unsigned slot) { slots_[slot].construct = {}; }

  // The number from which that of the next construct counts. Teams have one for all.
  [[nodiscard]] std::uint32_t number(unsigned slot) const {
    return at(slot).kind == ConstructKind::kCritical ? slots_[slot].number : team_;
  }
  void set_number(unsigned slot, std::uint32_t number) {
    (at(slot).kind == ConstructKind::kCritical ? slots_[slot].number : team_) = number;
  }
  // The team that this thread began last. Readers know it only if a construct word told it.
  [[nodiscard]] std::uint32_t team() const { return team_; }
  void set_team(std::uint32_t team) { team_ = team; }

  void clear() { *this = {}; }

 private:
  struct Slot {
    Construct construct;
    std::uint32_t number = 0;
  };
  std::array<Slot, kConstructSlots> slots_{};
  std::uint32_t team_ = 0;
};

// One execution of a parallel region, as its records tell it.
struct TeamPart {
  RegionId parallel = 0, barrier = 0;
  std::uint32_t number = 0;
  std::uint32_t threads = 0;  // asked for by the thread that makes the team
};

// The end of a chunk, with constructs.
// MT: as LiveChunk.
class ConstructChunk : protected LiveChunk {
 protected:
  // Each function tries to store a stage, which is the first one or follows in the word of the
  // stage before. False: nothing was stored, and the records are to be written one by one.

  [[gnu::always_inline]] bool store_team_begun(const TeamPart& team, Ticks fork, Ticks t) {
    constexpr auto kShort = construct_fields(ConstructKind::kMaker, 1);
    constexpr auto kLong = construct_fields(ConstructKind::kMaker, 0);
    const Construct c{ConstructKind::kMaker, team.parallel, team.barrier, team.threads};
    const unsigned slot = Constructs::slot_of(c);
    const std::uint64_t before = fork - last_, between = t - fork;
    if ((before | between) >> kLong.times[0] != 0) return false;
    if (!use_for_team(slot, c, team.number, kShort.number)) return false;
    const bool is_short = (before | between) >> kShort.times[0] == 0;
    const std::uint64_t number = std::uint64_t{team.number - constructs_.team() - 1};
    const std::uint64_t word =
        is_short ? before << time_shift(kShort, 0) | between << time_shift(kShort, 1)
                 : before << time_shift(kLong, 0) | between << time_shift(kLong, 1);
    constructs_.set_team(team.number);
    append(c, slot, is_short ? 1 : 0, number << kFieldShift | word, team.number, t);
    return true;
  }
  [[gnu::always_inline]] bool store_team_joined(const TeamPart& team, Ticks t) {
    constexpr auto kFields = construct_fields(ConstructKind::kMember, 0);
    const Construct c{ConstructKind::kMember, team.parallel, team.barrier, 0};
    const unsigned slot = Constructs::slot_of(c);
    const std::uint64_t before = t - last_;
    if (before >> kFields.times[0] != 0 || !use_for_team(slot, c, team.number, kFields.number))
      return false;
    const std::uint64_t number = std::uint64_t{team.number - constructs_.team() - 1};
    constructs_.set_team(team.number);
    append(c, slot, 0, number << kFieldShift | before << time_shift(kFields, 0), team.number, t);
    return true;
  }
  [[gnu::always_inline]] bool store_team_arrived(const TeamPart& team, Ticks t) {
    if (grow<ConstructKind::kMaker, 2>(team.parallel, team.number, t) ||
        grow<ConstructKind::kMember, 1>(team.parallel, team.number, t)) {
      return true;
    }
    return team_known_ && team.number == constructs_.team() &&
           store_one(Construct{ConstructKind::kTeamEnd, team.parallel, team.barrier, 0},
                     team.number, t);
  }
  [[gnu::always_inline]] bool store_team_left(const TeamPart& team, Ticks t) {
    return grow<ConstructKind::kMaker, 3>(team.parallel, team.number, t) ||
           grow<ConstructKind::kTeamEnd, 1>(team.parallel, team.number, t) ||
           store_one(Construct{ConstructKind::kTeamLeft, team.parallel, team.barrier, 0},
                     team.number, t);
  }

  // The enter of `outer` was the last record.
  [[gnu::always_inline]] bool store_work_barrier(RegionId outer, RegionId inner, Ticks t) {
    constexpr auto kFields = construct_fields(ConstructKind::kWork, 1);
    if (next_ != enter_end_ || entered_ != outer) return false;
    const Construct c{ConstructKind::kWork, outer, inner, 0};
    const unsigned slot = Constructs::slot_of(c);
    const std::uint64_t before = next_[-1] >> kTimeShift, between = t - last_;
    if (before >> kFields.times[0] != 0 || between >> kFields.times[1] != 0 ||
        !(constructs_.at(slot) == c)) {
      return false;
    }
    std::atomic_ref(next_[-1]).store(construct_word(slot, 1) | before << time_shift(kFields, 0) |
                                         between << time_shift(kFields, 1),
                                     std::memory_order_release);
    last_ = t;
    enter_end_ = nullptr;
    entered_ = kNoRegion;
    end_ = next_;
    key_ = key_of(ConstructKind::kWork, 1, outer, 0);
    return true;
  }
  [[gnu::always_inline]] bool store_work_barrier_left(RegionId outer, Ticks t) {
    return grow<ConstructKind::kWork, 2>(outer, 0, t);
  }
  [[gnu::always_inline]] bool store_work_left(RegionId outer, Ticks t) {
    return grow<ConstructKind::kWork, 3>(outer, 0, t);
  }
  // The next time it is known.
  void define_work(RegionId outer, RegionId inner) {
    const Construct c{ConstructKind::kWork, outer, inner, 0};
    const unsigned slot = Constructs::slot_of(c);
    if (constructs_.at(slot).kind == ConstructKind::kNone) (void)define(slot, c, 0);
  }

  [[gnu::always_inline]] bool store_lock_wanted(RegionId region, RegionId block, std::uint32_t lock,
                                                std::uint32_t holders, Ticks t) {
    constexpr auto kFields = construct_fields(ConstructKind::kCritical, 0);
    const Construct c{ConstructKind::kCritical, region, block, lock};
    const unsigned slot = Constructs::slot_of(c);
    const std::uint64_t before = t - last_;
    if (before >> kFields.times[0] != 0 || !use(slot, c, holders - 1)) return false;
    append(c, slot, 0, before << time_shift(kFields, 0), lock, t);
    return true;
  }
  [[gnu::always_inline]] bool store_lock_acquired(RegionId region, std::uint32_t lock,
                                                  std::uint32_t holders, Ticks t) {
    constexpr auto kFields = construct_fields(ConstructKind::kCritical, 1);
    if (next_ != end_ || key_ != key_of(ConstructKind::kCritical, 0, region, lock)) return false;
    const unsigned slot = slot_in(next_[-1]);
    const std::uint64_t number = std::uint64_t{holders - constructs_.number(slot) - 1};
    if (number >> kFields.number != 0) {
      constructs_.forget(slot);  // it is defined again
      return false;
    }
    if ((t - last_) >> kFields.times[1] != 0) return false;
    constructs_.set_number(slot, holders);
    put_stage<ConstructKind::kCritical, 1>(t, number << kFieldShift);
    return true;
  }
  [[gnu::always_inline]] bool store_lock_released(RegionId region, std::uint32_t lock, Ticks t) {
    return grow<ConstructKind::kCritical, 2>(region, lock, t);
  }
  [[gnu::always_inline]] bool store_lock_left(RegionId region, std::uint32_t lock, Ticks t) {
    return grow<ConstructKind::kCritical, 3>(region, lock, t);
  }

  void forget_constructs() {
    constructs_.clear();
    end_ = nullptr;
    team_known_ = false;
  }
  // A team was written in another way, or not at all.
  void forget_team() { team_known_ = false; }

 private:
  // Kind and stage of the last word, and whose it is.
  static constexpr std::uint64_t key_of(ConstructKind kind, unsigned stage, RegionId outer,
                                        std::uint32_t number) {
    return number | std::uint64_t{stage} << 32 | std::uint64_t{static_cast<unsigned>(kind)} << 34 |
           std::uint64_t{outer} << 37;
  }

  // Makes the slot hold the construct. False: it holds another one, or an id does not fit.
  [[gnu::always_inline]] bool use(unsigned slot, const Construct& c, std::uint32_t number) {
    if (constructs_.at(slot) == c) [[likely]]
      return true;
    return constructs_.at(slot).kind == ConstructKind::kNone && define(slot, c, number);
  }
  // It does the same for one whose number is that of a team, with so many bits for its distance.
  [[gnu::always_inline]] bool use_for_team(unsigned slot, const Construct& c, std::uint32_t number,
                                           unsigned bits) {
    const bool is_near = team_known_ && (number - constructs_.team() - 1) >> bits == 0;
    if (is_near) [[likely]]
      return use(slot, c, number - 1);
    const bool is_free =
        constructs_.at(slot).kind == ConstructKind::kNone || constructs_.at(slot) == c;
    team_known_ = is_free && define(slot, c, number - 1);
    return team_known_;
  }
  [[gnu::noinline, gnu::cold]] bool define(unsigned slot, const Construct& c,
                                           std::uint32_t number) {
    if ((c.outer | c.inner) > kMaxId) return false;
    constructs_.define(slot, c, number);
    store(Kind::kExtended, extended_field(kConstructDefined, 3), last_,
          slot | std::uint64_t{static_cast<unsigned>(c.kind)} << 8 | std::uint64_t{number} << 32,
          two_halves(c.outer, c.inner), std::uint64_t{c.object});
    return true;
  }

  [[gnu::always_inline]] void append(const Construct& c, unsigned slot, unsigned stage,
                                     std::uint64_t fields, std::uint32_t number, Ticks t) {
    std::uint64_t* const word = next_;
    word[1] = 0;
    next_ = end_ = word + 1;
    last_ = t;
    key_ = key_of(c.kind, stage, c.outer, number);
    std::atomic_ref(*word).store(construct_word(slot, stage) | fields, std::memory_order_release);
  }
  // A construct whose first stage has one time and no number.
  [[gnu::always_inline]] bool store_one(const Construct& c, std::uint32_t number, Ticks t) {
    const ConstructFields fields = construct_fields(c.kind, 0);
    const unsigned slot = Constructs::slot_of(c);
    const std::uint64_t before = t - last_;
    if (before >> fields.times[0] != 0 || !use(slot, c, 0)) return false;
    append(c, slot, 0, before << time_shift(fields, 0), number, t);
    return true;
  }

  // Adds a stage to the last word.
  template <ConstructKind kKind, unsigned kStage>
  [[gnu::always_inline]] bool grow(RegionId outer, std::uint32_t number, Ticks t) {
    constexpr auto kFields = construct_fields(kKind, kStage);
    if (next_ != end_ || key_ != key_of(kKind, kStage - 1, outer, number) ||
        (t - last_) >> kFields.times[kFields.count - 1] != 0) {
      return false;
    }
    put_stage<kKind, kStage>(t, 0);
    return true;
  }
  template <ConstructKind kKind, unsigned kStage>
  [[gnu::always_inline]] void put_stage(Ticks t, std::uint64_t more) {
    constexpr auto kFields = construct_fields(kKind, kStage);
    std::atomic_ref(next_[-1]).store(
        next_[-1] + (std::uint64_t{1} << kStageShift |
                     (t - last_) << time_shift(kFields, kFields.count - 1) | more),
        std::memory_order_release);
    last_ = t;
    key_ += std::uint64_t{1} << 32;
  }

  Constructs constructs_;         // of this chunk
  std::uint64_t* end_ = nullptr;  // after the last construct word of this chunk
  std::uint64_t key_ = 0;         // of that word
  bool team_known_ = false;       // readers know the number of the last team
};

}  // namespace latecomer::record
