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
  kFiles = 2,
  kThreads = 3,
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

// A part of the nanoseconds blocked: in calls of one function from one place. Its words:
//
//   bit 0..31 region of the function, bit 32..63 innermost frame of its callers, as in a sample
//   nanoseconds
inline constexpr ExtendedKind kBlocked{Family::kSamples, 0x80};

// The thread had no core for a while inside an MPI call, although it could run. Its words:
//
//   nanoseconds
//   ticks from then to this record
inline constexpr ExtendedKind kWithoutCore{Family::kSamples, 4};

// What the chosen counters counted in the computation since the last such record: a word for each
// of them, in the order of the log's property layout::kLogCounters.
inline constexpr ExtendedKind kCounted{Family::kSamples, 3};

// Operations on files outside MPI. Descriptors get ids from 1 on, which are those of the process. A
// descriptor is described in a record, since functions on files may be called in signal handlers,
// where the definition log with its lock must not be used.
//
//   kFileDescribed   FileDescription; its name has up to kMostNameBytes, the rest follows
//   kFileName        id | offset in the name << 32; up to kMostMoreBytes of the name
//   kFileCreated     id
//   kFileDestroyed   id
//   kFileOperated    id | mode << 32 | thread << 40; bytes asked for; bytes moved. The operation
//                    began with the previous record
//   kFileSought      id | origin << 32; offset; new position
inline constexpr ExtendedKind kFileDescribed{Family::kFiles, 1};
inline constexpr ExtendedKind kFileName{Family::kFiles, 2};
inline constexpr ExtendedKind kFileCreated{Family::kFiles, 3};
inline constexpr ExtendedKind kFileDestroyed{Family::kFiles, 4};
inline constexpr ExtendedKind kFileOperated{Family::kFiles, 5};
inline constexpr ExtendedKind kFileSought{Family::kFiles, 6};

// First two words of kFileDescribed:
//
//   bit  0..31   id                                  bit  0..15   flags of creation
//   bit 32..47   bytes of the whole name             bit 16..31   status flags
//   bit 48..49   mode of access                      bit 32..63   number of the descriptor
//   bit 50       a stream of C
//   bit 51       was open before it was seen
struct FileDescription {
  std::uint32_t id = 0;
  std::uint32_t name_bytes = 0;
  std::uint32_t mode = 0, creation = 0, status = 0;  // OTF2's, as far as they have 16 bits
  std::uint32_t descriptor = 0;
  bool is_stream = false;
  bool was_open = false;

  friend bool operator==(const FileDescription&, const FileDescription&) = default;
};
constexpr std::uint64_t first_word(const FileDescription& d) {
  return d.id | std::uint64_t{d.name_bytes & 0xffff} << 32 | std::uint64_t{d.mode & 3} << 48 |
         std::uint64_t{d.is_stream} << 50 | std::uint64_t{d.was_open} << 51;
}
constexpr std::uint64_t second_word(const FileDescription& d) {
  return (d.creation & 0xffff) | (d.status & 0xffff) << 16 | std::uint64_t{d.descriptor} << 32;
}
constexpr FileDescription file_description(std::uint64_t first, std::uint64_t second) {
  return {static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(first >> 32 & 0xffff),
          static_cast<std::uint32_t>(first >> 48 & 3),
          static_cast<std::uint32_t>(second & 0xffff),
          static_cast<std::uint32_t>(second >> 16 & 0xffff),
          static_cast<std::uint32_t>(second >> 32),
          (first >> 50 & 1) != 0,
          (first >> 51 & 1) != 0};
}

// Teams of threads, and locks. A team is one execution of a parallel region; teams of a process are
// numbered. The thread that makes the team leaves its implicit barrier and the parallel region with
// kLeave. The other threads cannot tell when that is: the runtime keeps them until they get other
// work. Conversion ends their part when that of the maker ends.
//
//   kFork           threads asked for (0: no number given) | team << 32, before the team is made
//   kTeamBegun      parallel region | team << 32; a MakerWord for the thread that makes the team.
//                   The thread enters the region
//   kTeamArrived    implicit barrier | team << 32. The thread has done its part, and waits
//   kLockAcquired   lock | number of earlier holders << 32
//   kLockReleased   the same
inline constexpr ExtendedKind kFork{Family::kThreads, 1};
inline constexpr ExtendedKind kLockAcquired{Family::kThreads, 2};
inline constexpr ExtendedKind kLockReleased{Family::kThreads, 3};
inline constexpr ExtendedKind kTeamBegun{Family::kThreads, 0x80};
inline constexpr ExtendedKind kTeamArrived{Family::kThreads, 0x81};

// Second word of kTeamBegun. The fork has no record of its own if it is in there:
//
//   bit  0       always 1
//   bit  1       the fork is in here
//   bit  2..17   threads asked for (0: no number given, or more than fit)
//   bit 18..63   ticks since the fork
struct MakerWord {
  bool forks = false;
  std::uint32_t threads = 0;
  std::uint64_t since_fork = 0;
};
inline constexpr unsigned kMakerThreadBits = 16;
constexpr std::uint64_t to_word(const MakerWord& d) {
  const std::uint64_t threads = d.threads >> kMakerThreadBits == 0 ? d.threads : 0;
  return 1 | std::uint64_t{d.forks} << 1 | threads << 2 | d.since_fork << (2 + kMakerThreadBits);
}
constexpr MakerWord maker_word(std::uint64_t word) {
  return {(word & 2) != 0, static_cast<std::uint32_t>(word >> 2 & ((1U << kMakerThreadBits) - 1)),
          word >> (2 + kMakerThreadBits)};
}

constexpr std::uint64_t two_halves(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

// POSIX threads. A recorded thread has a number, from 1 on in each process, and so has each object
// that threads wait for.
//
//   kMutexAcquired   mutex | number of earlier acquisitions with a record << 32
//   kMutexReleased   the same
//   kMutexGiven      the same. Only its release is known: the thread got it without waiting
//   kThreadCreated   thread, which this one has made
//   kThreadBegun     thread, which this one is
//   kThreadEnded     thread, which this one was. All regions end
//   kThreadJoined    thread, whose end this one has waited for
//   kWakes           object | number << 32: lets threads go on that wait for the object
//   kWoken           the same: went on, after this thread or another one had made the record kWakes
//   kRound           barrier | number of earlier rounds << 32: has arrived
inline constexpr ExtendedKind kMutexAcquired{Family::kThreads, 0x20};
inline constexpr ExtendedKind kMutexReleased{Family::kThreads, 0x21};
inline constexpr ExtendedKind kMutexGiven{Family::kThreads, 0x22};
inline constexpr ExtendedKind kThreadCreated{Family::kThreads, 0x23};
inline constexpr ExtendedKind kThreadBegun{Family::kThreads, 0x24};
inline constexpr ExtendedKind kThreadEnded{Family::kThreads, 0x25};
inline constexpr ExtendedKind kThreadJoined{Family::kThreads, 0x26};
inline constexpr ExtendedKind kWakes{Family::kThreads, 0x27};
inline constexpr ExtendedKind kWoken{Family::kThreads, 0x28};
inline constexpr ExtendedKind kRound{Family::kThreads, 0x29};

// Comes before the enter of a task of OpenMP, if that was created after the thread's last record:
// the thread had none until then.
//
//   kTaskAwaited     how many ticks ago the task was created
inline constexpr ExtendedKind kTaskAwaited{Family::kThreads, 0x2a};

// Two records that readers do not return as such: the contents of a slot (construct_words.hpp), and
// Kind::kThreadBegin.
inline constexpr ExtendedKind kConstructDefined{Family::kThreads, 0x2b};
inline constexpr ExtendedKind kNextThread{Family::kThreads, 0x2c};

// Kinds with a code from here on name a region: the lower half of their first payload word is the
// id of one. Conversion then defines that region, even for a family that it does not know.
inline constexpr std::uint8_t kFirstWithRegion = 0x80;
constexpr bool names_region(ExtendedKind kind) { return kind.code >= kFirstWithRegion; }

inline constexpr unsigned kMostExtendedWords = 15;
inline constexpr std::size_t kMostNameBytes = (kMostExtendedWords - 2) * sizeof(std::uint64_t);
inline constexpr std::size_t kMostMoreBytes = (kMostExtendedWords - 1) * sizeof(std::uint64_t);
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
