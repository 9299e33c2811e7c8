// SPDX-License-Identifier: BSD-3-Clause
// Extended records: kinds of records beyond those that fit the six bits of Kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/record/format.hpp"

namespace latecomer::record {

// Each source of events has a family of kinds. A record says how long it is, so readers skip the
// records of families that they do not know:
//
//   bit  0.. 5   Kind::kExtended
//   bit  6..13   code: the kind in its family
//   bit 14..19   family
//   bit 20..23   number of payload words, 0 to 15
//   bit 24..63   ticks since the previous record
//
// The header word is followed by the payload words, whose meaning the family defines.
enum class Family : std::uint8_t {
  kNone = 0,  // of the kinds in Kind
  kSamples = 1,
  // The last family is never used by a release. Tests make up their records with it.
  kMadeUp = 63,
};

// A kind with its family.
struct ExtendedKind {
  Family family = Family::kNone;
  std::uint8_t code = 0;
  friend constexpr bool operator==(ExtendedKind, ExtendedKind) = default;
};

// A sample of the computation: where the thread was between two MPI calls. Its word:
//
//   bit  0..31   innermost frame, a `frame` line of the definition log
//   bit 32..62   microseconds of processor time that the sample stands for
//   bit 63       the thread was in the kernel
inline constexpr ExtendedKind kSample{Family::kSamples, 1};
inline constexpr std::uint32_t kSampleInKernel = std::uint32_t{1} << 31;  // of its upper half
constexpr std::uint64_t sample_word(std::uint32_t frame, std::uint32_t microseconds) {
  return frame | std::uint64_t{microseconds} << 32;
}

// The kernel's part in the time since the record before: when the thread had no core, and page
// faults. Its words:
//
//   nanoseconds without a core although it could run
//   nanoseconds blocked
//   bit 0..31 page faults, bit 32..63 migrations to other cores
inline constexpr ExtendedKind kKernelUse{Family::kSamples, 2};

// Kinds with a code from here on name a region: the lower half of their first payload word is the
// id of one. Conversion then defines that region, even for a family that it does not know.
inline constexpr std::uint8_t kFirstWithRegion = 0x80;
constexpr bool names_region(ExtendedKind kind) { return kind.code >= kFirstWithRegion; }

inline constexpr unsigned kMostExtendedWords = 15;
inline constexpr unsigned kCodeBits = 8, kFamilyBits = 6, kLengthBits = 4;
static_assert(kCodeBits + kFamilyBits + kLengthBits == kIdBits);
static_assert(kKindBits + kCodeBits + kFamilyBits == kLengthShift);
static_assert(1U << kLengthBits == kMostExtendedWords + 1);

// The field of an extended record that holds the id in other records.
constexpr std::uint64_t extended_field(ExtendedKind kind, std::size_t words) {
  return kind.code | static_cast<std::uint64_t>(kind.family) << kCodeBits |
         std::uint64_t{words} << (kCodeBits + kFamilyBits);
}
constexpr ExtendedKind extended_kind(std::uint64_t head) {
  const std::uint64_t field = head >> kKindBits;
  return {static_cast<Family>(field >> kCodeBits & ((1U << kFamilyBits) - 1)),
          static_cast<std::uint8_t>(field)};
}

}  // namespace latecomer::record
