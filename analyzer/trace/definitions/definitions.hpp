// SPDX-License-Identifier: BSD-3-Clause
// The definitions of an archive in dense tables: regions, processes, locations, communicators.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/definitions/members.hpp"
#include "archive/layout.hpp"
#include "patterns/calls/call_kind.hpp"
#include "patterns/calls/thread_construct.hpp"

namespace latecomer::trace {

inline constexpr std::uint32_t kNone = 0xffffffff;
inline constexpr std::uint64_t kLongestPeriod = 1'000'000'000'000;  // of samples, in nanoseconds

// Maps OTF2 ids, which are 64 bits and may have gaps, to indices into a table. The analyzer uses
// only indices.
class IdTable {
 public:
  // Gives `id` the next index. If the id is defined again, the first definition is kept.
  std::uint32_t add(std::uint64_t id);
  [[nodiscard]] std::uint32_t find(std::uint64_t id) const {
    if (id < dense_.size()) return dense_[id];
    if (sparse_.empty()) return kNone;
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? kNone : it->second;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Indices by small ids; kNone: not defined.
  [[nodiscard]] std::span<const std::uint32_t> dense() const { return dense_; }

 private:
  static constexpr std::uint64_t kDenseLimit = 1 << 22;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::uint32_t size_ = 0;
};

// A region, with the properties that its name and role imply.
struct Region {
  std::string name, canonical, file;
  std::string paradigm, role;  // words as CUBE uses them
  std::uint32_t begin_line = 0, end_line = 0;
  bool mpi = false;
  bool init = false, finalize = false;  // MPI_Init, MPI_Init_thread; MPI_Finalize
  bool test = false;                    // MPI_Test and its like
  bool file_access = false;             // reads or writes files through MPI
  bool probe = false;                   // MPI_Probe and its like
  patterns::ThreadConstruct construct = patterns::ThreadConstruct::kNone;
  bool computation =
      false;             // its own time is the program's, not that of MPI or of thread constructs
  bool watched = false;  // its enters need attention: the properties above, and thread constructs
  patterns::EpochCall epoch = patterns::EpochCall::kNone;
  std::optional<patterns::CollectiveOperation> file_operation;

  // A call on a file that is not MPI's.
  [[nodiscard]] bool is_file_call() const { return !mpi && role.starts_with("file io"); }
};

// A call path, in archives that define whole call paths instead of single regions.
struct CallingContext {
  std::uint32_t region = kNone;  // index of its innermost region
  std::uint32_t parent = kNone;  // has a smaller index
  bool inside_mpi = false;       // called by MPI itself; not a call path of the program
  std::uint32_t depth = 0;       // number of callers
  // Index in Definitions::source_lines: the sampled line, or that of the call of the next function.
  std::uint32_t source = kNone;
};

// A line of the program's code.
struct SourceLine {
  std::uint32_t file = kNone;  // index in Definitions::source_files
  std::uint32_t line = 0;      // 0: unknown
};

// The time that a sample stands for.
struct SampleClock {
  std::uint64_t period = 0;  // nanoseconds, at most kLongestPeriod; 0: not a time
  bool in_kernel = false;    // processor time in the kernel
  bool is_blocked = false;   // samples say where the thread was blocked; the period is 0
};

// A metric of OTF2, whose values are in the events of a location.
struct Counter {
  std::string name, description;
  bool is_sum = false;    // its values only grow
  bool is_time = false;   // in seconds; its values are counted in ticks
  bool is_bytes = false;  // otherwise a number
  double scale = 1;       // a value in an event times this is in ticks, in bytes, or a number
};

// A node of the system tree: machine, node and so on.
struct SystemNode {
  std::string name, class_name;
  std::uint32_t parent = kNone;
};

// A process, that is, a location group of OTF2.
struct Process {
  std::string name;
  std::uint32_t node = kNone;  // index of its system tree node
  std::uint32_t metahost = 0;  // index into metahosts
  std::vector<std::uint32_t> locations;
  // Properties of its location group; integers as decimal digits.
  std::map<std::string, std::string> properties;
};

// What the events of a location are about.
enum class LocationKind : std::uint8_t {
  kThread,
  kDevice,  // a queue of work on a device, such as a stream of a GPU
  kMetric,  // measured values: counters, samples, monitors
  kOther
};

// A thread of a process, or a location of another kind that belongs to it.
struct Location {
  std::uint64_t id = 0;  // id in the archive; its files have this name
  std::string name;
  std::uint32_t process = kNone;
  std::uint32_t thread = 0;  // position among the locations of its process and list
  std::uint64_t events = 0;  // number that the archive announces
  LocationKind kind = LocationKind::kThread;
};

// A root of the system tree. Archives with more than kMostMetahosts roots are taken as a single
// metahost: tools without metahosts made them, and each pair would need a metric.
inline constexpr std::size_t kMostMetahosts = 32;
struct Metahost {
  std::uint32_t id = 0;
  std::string name;
};

// Members are world ranks (process indices), in the rank order of the communicator.
struct Comm {
  std::string name;
  Members members;
  Members remote;     // the other group of an intercommunicator, otherwise empty
  bool self = false;  // a communicator of one process: rank 0 is the process that uses it
  bool inter = false;
  bool spans_metahosts = false;
  // If this one belongs to a file or window: the communicator of the archive with these members.
  std::uint32_t original = kNone;
  // The members that each member gets data from in neighborhood operations; empty: unknown.
  std::map<std::uint32_t, std::vector<std::uint32_t>> sources;
  [[nodiscard]] std::span<const std::uint32_t> sources_of(std::uint32_t member) const {
    const auto found = sources.find(member);
    return found == sources.end() ? std::span<const std::uint32_t>() : found->second;
  }
  [[nodiscard]] std::size_t size() const { return self ? 1 : members.size() + remote.size(); }
};

// A window of one-sided communication. Its collective calls are counted separately from those on
// its communicator. It therefore has a communicator of its own with the same members.
struct Window {
  std::string name;
  std::uint32_t comm = kNone;  // index of its own communicator
};

// A handle of MPI-IO. Collective calls on it are counted separately, as on windows.
struct FileHandle {
  std::uint32_t comm = kNone;  // index of its own communicator; kNone: unknown
};

// All contents of traces.def. Processes are in the order of their world ranks, so a process index
// is a world rank. Locations are ordered by process, then as defined.
struct Definitions {
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t first_tick = 0;  // subtracted from every time stamp
  std::uint64_t trace_length = 0;

  std::vector<Region> regions;
  std::vector<SystemNode> system;
  std::vector<Metahost> metahosts;
  std::vector<Process> processes;
  std::vector<Location> locations;  // the threads; each has a column in the report
  // Those that are no threads, by process. They have no calls, no waits and no column.
  std::vector<Location> other_locations;
  std::vector<Comm> comms;  // those of the archive, then those of windows and files
  std::vector<Window> windows;
  std::vector<FileHandle> files;
  // Files outside MPI by handle, and their names.
  std::vector<std::uint32_t> other_files;  // index in `file_names`
  std::vector<std::string> file_names;
  std::vector<std::vector<std::uint32_t>> groups;  // world ranks
  std::string program;                             // name of the program, "program" if unknown
  std::uint32_t program_region = 0;                // root of all call paths
  std::uint32_t flush_region = 0;                  // "TRACE BUFFER FLUSH"
  std::uint32_t off_region = 0;                    // "MEASUREMENT OFF"
  bool has_tasks = false;                          // regions of tasks of OpenMP

  std::vector<CallingContext> contexts;
  std::vector<SourceLine> source_lines;
  std::vector<std::string> source_files;
  // By region: the first one with the same name and file, since regions of one function may differ
  // in their lines. Empty: each region is a function of its own.
  std::vector<std::uint32_t> functions;
  std::vector<SampleClock> sample_clocks;  // by interrupt generator

  std::vector<Counter> counters;
  std::vector<std::vector<std::uint32_t>> counter_classes;  // indices of counters, as in events

  IdTable region_ids, comm_ids, window_ids, file_ids, other_file_ids, group_ids, context_ids,
      source_ids, generator_ids, counter_ids, counter_class_ids;
  // Ids of attributes by name; kNone: not defined.
  std::uint32_t all_positive = kNone, neighborhood = kNone, persistent = kNone, left_out = kNone;
  std::uint32_t calls = kNone, call_time = kNone, blocked = kNone;
  std::uint32_t unrecorded = kNone, file_call = kNone, task_awaited = kNone;  // ids of parameters
  std::array<std::uint32_t, 3> wake_ups{kNone, kNone, kNone};  // layout::kParametersOfThreads
  std::array<std::uint32_t, 4> unrecorded_attributes{kNone, kNone, kNone, kNone};

  std::map<std::string, std::string> properties;  // properties of the archive
  std::string creator;

  [[nodiscard]] std::uint32_t function_of(std::uint32_t region) const {
    return region < functions.size() ? functions[region] : region;
  }
  // True if samples of the computation are in the archive, instead of samples that move the open
  // call path.
  [[nodiscard]] bool has_samples() const {
    const auto found = properties.find(layout::kPropertySamples);
    return found != properties.end() && found->second != "0";
  }
  // True if functions are known only at MPI calls.
  [[nodiscard]] bool call_paths_from_stacks() const {
    const auto found = properties.find(layout::kPropertyStacks);
    return found != properties.end() && found->second == "true";
  }
};

}  // namespace latecomer::trace
