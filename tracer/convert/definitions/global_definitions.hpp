// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the whole run, as they go to traces.def. Ids are indices of the vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/counter_names.hpp"
#include "tracer/convert/definitions/strings.hpp"

namespace latecomer::convert {

inline constexpr std::uint32_t kNoId = 0xffffffff;

enum class Paradigm : std::uint8_t { kUser, kCompiler, kMpi, kMeasurement, kOpenMp, kPosix, kNone };

struct Region {
  StringId name = 0;
  StringId canonical = 0;
  StringId file = kNoId;
  std::string role;  // OTF2's name in lower case: function, point2point, coll_one2all, artificial
  Paradigm paradigm = Paradigm::kUser;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
};

// Regions that every archive has. Those of the programs follow.
inline constexpr std::uint32_t kRegionMeasurementOff = 0;
inline constexpr std::uint32_t kRegionBufferFlush = 1;
inline constexpr std::uint32_t kFirstProgramRegion = 2;

// Attributes that every archive defines, with their names.
inline constexpr std::uint32_t kAllPositiveAttribute = 0;   // layout::kAttributeAllPositive
inline constexpr std::uint32_t kNeighborhoodAttribute = 1;  // layout::kAttributeNeighborhood
inline constexpr std::uint32_t kPersistentAttribute = 2;    // layout::kAttributePersistent
inline constexpr std::uint32_t kUnrecordedAttribute = 3;  // first of layout::kAttributesUnrecorded
inline constexpr std::uint32_t kLeftOutAttribute = 7;     // layout::kAttributeLeftOut
inline constexpr std::uint32_t kCallsAttribute = 8;       // layout::kAttributeCalls
inline constexpr std::uint32_t kCallTimeAttribute = 9;    // layout::kAttributeCallTime
// layout::kAttributeBlocked; only if contexts say where threads were blocked
inline constexpr std::uint32_t kBlockedAttribute = 10;

// Parameters are defined up to the last one that the archive may have.
inline constexpr std::uint32_t kUnrecordedParameter = 0;  // layout::kParameterUnrecorded
inline constexpr std::uint32_t kFileCallParameter = 1;    // layout::kParameterFileCall; of MPI-IO
// layout::kParametersOfThreads; if threads let others go on
inline constexpr std::uint32_t kWakesParameter = 2;
inline constexpr std::uint32_t kWokenParameter = 3;
inline constexpr std::uint32_t kRoundParameter = 4;
inline constexpr std::uint32_t kTaskAwaitedParameter =
    5;  // layout::kParameterTaskAwaited; of teams

// OTF2's "I/O paradigms". Those in use are defined, numbered in this order.
inline constexpr std::uint8_t kMpiIo = 0;
inline constexpr std::uint8_t kPosixIo = 1;
inline constexpr std::uint8_t kStreamIo = 2;

// A line of a source file.
struct SourceLine {
  StringId file = 0;
  std::uint32_t line = 0;
};

// A function on the way to a sample, and where in it: the line that ran, or the call of the next
// function.
struct Context {
  std::uint32_t region = kNoId;
  std::uint32_t line = kNoId;    // index in `lines`; kNoId: unknown
  std::uint32_t parent = kNoId;  // kNoId: outermost
};

enum class GroupKind : std::uint8_t {
  kLocations,     // members are locations; the index is the world rank
  kSelf,          // no members: each process alone
  kMembers,       // members are world ranks
  kThreads,       // members are locations: all that were in a team
  kTeam,          // members are indices in the group of kThreads
  kPosixThreads,  // members are locations: all POSIX threads
  kPosixProcess,  // members are indices in the group of kPosixThreads
};

struct Group {
  GroupKind kind = GroupKind::kMembers;
  std::vector<std::uint64_t> members;
};

inline constexpr std::uint32_t kGroupLocations = 0;
inline constexpr std::uint32_t kGroupSelf = 1;
inline constexpr std::uint32_t kGroupWorld = 2;

struct Comm {
  StringId name = 0;
  std::uint32_t group = kNoId;
  std::uint32_t remote_group = kNoId;  // of intercommunicators
  std::uint32_t parent = kNoId;
  bool has_create_events = true;
};

inline constexpr std::uint32_t kCommWorld = 0;
inline constexpr std::uint32_t kCommSelf = 1;

struct Window {
  StringId name = 0;
  std::uint32_t comm = kNoId;
};

// A file that processes open together, or a descriptor that processes have, each its own; modes and
// flags are OTF2's.
struct FileHandle {
  std::uint32_t file = kNoId;  // index in `files`
  std::uint32_t comm = kNoId;  // kNoId: not defined
  std::uint8_t paradigm = kMpiIo;
  bool was_open = false;               // no event creates it
  std::uint32_t mode = 0, status = 0;  // if it was open
};

// Sources of a process in neighborhood operations.
struct Neighbors {
  std::uint32_t rank = 0;
  std::uint32_t comm = kNoId;
  std::vector<std::uint32_t> sources;  // ranks in the communicator
};

struct SystemNode {
  StringId name = 0;
  std::uint32_t parent = kNoId;  // kNoId: a machine (metahost), otherwise a node of it
  std::int64_t metahost_id = 0;  // for machines
};

struct ProcessPlace {
  StringId name = 0;
  std::uint32_t node = kNoId;
};

struct GlobalDefinitions {
  Strings strings;
  std::vector<SystemNode> nodes;        // parents before children
  std::vector<ProcessPlace> processes;  // by world rank
  std::vector<Region> regions;
  std::vector<SourceLine> lines;
  std::vector<Context> contexts;  // parents before children
  // Microseconds, ascending; with record::kSampleInKernel.
  std::vector<std::uint32_t> sample_periods;
  bool has_blocked = false;    // contexts say where threads were blocked
  bool kernel_use = false;     // some process recorded the kernel's part
  bool has_teams = false;      // of threads; their communicators come after those of MPI
  bool wakes_threads = false;  // POSIX threads let others go on
  // Counters that the user chose, for some processes perhaps others. Each is a metric class.
  std::vector<std::vector<ChosenCounter>> counter_sets;
  std::vector<Group> groups;
  std::vector<Comm> comms;  // parents before children
  std::vector<Neighbors> neighbors;
  std::vector<Window> windows;
  std::vector<StringId> files;  // names
  bool has_mpi_files = false;
  std::vector<FileHandle> file_handles;

  // The metric class of counter_sets[0]; the others follow.
  [[nodiscard]] std::uint32_t first_counter_class() const { return kernel_use ? 1 : 0; }
  // The interrupt generator of blocked threads, after those of the periods.
  [[nodiscard]] std::uint32_t blocked_clock() const {
    return static_cast<std::uint32_t>(sample_periods.size());
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(processes.size()); }
};

// Id of a location. That of a main thread is its world rank.
constexpr std::uint64_t location_id(std::uint32_t rank, std::uint32_t thread) {
  return std::uint64_t{thread} << 32 | rank;
}

}  // namespace latecomer::convert
