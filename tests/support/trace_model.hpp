// SPDX-License-Identifier: BSD-3-Clause
// Definitions of a synthetic archive: metahosts, nodes, locations, regions, communicators, files.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace latecomer::test {

using Ticks = std::int64_t;

struct Metahost {
  std::uint32_t id = 0;
  std::string name;
};

struct Node {
  std::string name;
  std::uint32_t metahost = 0;  // index in TraceModel::metahosts
};

struct ClockOffset {
  std::uint64_t time = 0;  // local tick
  std::int64_t offset = 0;
  double deviation = 0;
};

struct Location {
  std::uint64_t id = 0;
  std::uint32_t rank = 0;
  std::string name;
  std::uint64_t events = 0;  // number that traces.def announces
  std::vector<ClockOffset> offsets;
  // A stream of an accelerator, whose group belongs to no process. kOfProcess: the rank's process
  // created it; kOfNobody: no process did.
  enum class Device : std::uint8_t { kNone, kOfProcess, kOfNobody } device = Device::kNone;
};

struct Region {
  std::string name, file;
  std::uint32_t line = 0;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_USER;
  OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
};

// Members are world ranks. A remote group makes it an intercommunicator.
struct Communicator {
  std::string name;
  std::vector<std::uint32_t> members, remote;
  bool self = false;
};

struct WindowModel {
  std::uint32_t comm = 0;
};
// The id of the i-th group of processes that synchronize on windows.
inline constexpr std::uint32_t kFirstGroup = 1000;
// The communicator of the i-th team of threads, and the group with its members.
inline constexpr std::uint32_t kFirstTeam = 500, kFirstGroupOfTeam = 2001;
// The id of the i-th handle of shared_files.
inline constexpr std::uint32_t kFirstSharedFile = 2;

// Samples. Sources are indices in TraceModel::source_lines, kNoSource: unknown.
inline constexpr std::uint32_t kNoSource = 0xffffffff;
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};
struct CallingContext {
  std::uint32_t region = 0, source = kNoSource;
  std::uint32_t parent = 0xffffffff;
};
struct InterruptGenerator {
  std::uint64_t period = 0;
  std::int64_t exponent = -9;
  OTF2_InterruptGeneratorMode mode = OTF2_INTERRUPT_GENERATOR_MODE_TIME;
  OTF2_Base base = OTF2_BASE_DECIMAL;
  std::string name = "samples";
};

// Metrics. All of them are in one class, with id 0.
struct CounterModel {
  std::string name, unit = "#";
  std::int64_t exponent = 0;
  OTF2_MetricMode mode = OTF2_METRIC_ACCUMULATED_START;
};

// Ids are positions in the vectors. Communicators 0 and 1 are MPI_COMM_WORLD and MPI_COMM_SELF,
// regions 0 to 2 "MEASUREMENT OFF", "TRACE BUFFER FLUSH" and the program.
struct TraceModel {
  explicit TraceModel(std::uint32_t ranks, std::string program = "program");

  // The id of a region, which the first call defines. Names that begin with MPI_ become MPI
  // functions, others user functions.
  std::uint32_t region(std::string_view name);

  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t epoch = 0;   // global offset of the clock properties
  std::uint64_t length = 0;  // trace length of the clock properties
  std::vector<Metahost> metahosts{{0, "machine"}};
  std::vector<Node> nodes{{"node", 0}};
  std::vector<std::uint32_t> node_of;  // per rank: index of its node
  // Number of further nodes, each within the next one, the last in the first metahost: children are
  // defined first.
  std::uint32_t nested_nodes = 0;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::vector<Communicator> communicators;
  std::uint32_t copies_of_world = 0;  // number of further communicators of all processes
  std::vector<WindowModel> windows;
  std::vector<std::vector<std::uint32_t>> groups;  // world ranks; ids from kFirstGroup
  // Teams of threads: locations; their communicators have ids from kFirstTeam on.
  std::vector<std::vector<std::uint64_t>> teams;
  std::map<std::string, std::string> properties;  // properties of the archive
  // Properties of location groups, by rank; values are texts.
  std::map<std::uint32_t, std::map<std::string, std::string>> process_properties;
  std::string creator = "latecomer tests";
  bool files = false;  // handle 0 of MPI-IO and handle 1 of another I/O library
  std::vector<std::uint32_t> shared_files;  // communicators of further handles of MPI-IO
  bool wake_ups = false;                    // parameters about POSIX threads
  std::vector<SourceLine> source_lines;
  std::vector<CallingContext> contexts;
  std::vector<InterruptGenerator> generators;
  std::vector<CounterModel> counters;
  // False: no artificial regions, as in archives of other tools.
  bool artificial_regions = true;

 private:
  std::map<std::string, std::uint32_t, std::less<>> region_ids_;
};

// Attribute of Alltoallv and the like: all counts are positive, so every rank gets data.
inline constexpr std::uint32_t kAllPositiveAttribute = 7;
// Attribute of neighborhood operations.
inline constexpr std::uint32_t kNeighborhoodAttribute = 8;
// Attribute of persistent operations.
inline constexpr std::uint32_t kPersistentAttribute = 9;
// Attributes of streaks of unsuccessful tests.
inline constexpr std::uint32_t kCallsAttribute = 10, kCallTimeAttribute = 11;
// Attribute of samples that say where a thread was blocked.
inline constexpr std::uint32_t kBlockedAttribute = 12;
// The parameter of collective calls on files that have no other record.
inline constexpr std::uint32_t kFileCallParameter = 3;
// Parameters about POSIX threads (layout::kParametersOfThreads), from this id on.
inline constexpr std::uint32_t kFirstThreadParameter = 4;
// Additional data that the end of a collective operation has.
struct CollectiveNote {
  bool all_positive = false;
  bool neighborhood = false;
  std::optional<std::uint32_t> persistent = {};
};
// Owns the list of these attributes during its lifetime, or no list.
class AttributesOf {
 public:
  explicit AttributesOf(const CollectiveNote& note) {
    if (!note.all_positive && !note.neighborhood && !note.persistent) return;
    list_ = OTF2_AttributeList_New();
    if (note.neighborhood) {
      OTF2_AttributeList_AddUint8(list_, kNeighborhoodAttribute, note.all_positive ? 2 : 1);
    } else if (note.all_positive) {
      OTF2_AttributeList_AddUint8(list_, kAllPositiveAttribute, 1);
    }
    if (note.persistent) {
      OTF2_AttributeList_AddUint32(list_, kPersistentAttribute, *note.persistent);
    }
  }
  AttributesOf(const AttributesOf&) = delete;
  AttributesOf& operator=(const AttributesOf&) = delete;
  ~AttributesOf() {
    if (list_ != nullptr) OTF2_AttributeList_Delete(list_);
  }
  [[nodiscard]] OTF2_AttributeList* list() const { return list_; }

 private:
  OTF2_AttributeList* list_ = nullptr;
};

// Role of an MPI function, as OTF2 defines roles.
[[nodiscard]] OTF2_RegionRole mpi_role(std::string_view name);

}  // namespace latecomer::test
