// SPDX-License-Identifier: BSD-3-Clause
// Definitions of a process (README.md): structures, their lines, and the parser of these lines.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sync/clock_model.hpp"
#include "sync/measurement.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::record {

struct ProcessDefinition {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::int32_t thread_level = 0;  // MPI_THREAD_SINGLE ...
};

struct NodeDefinition {
  std::string identity;
  std::string host;
};

struct MetahostDefinition {
  std::int64_t id = 0;
  std::string name;
};

struct ProgramDefinition {
  std::string path;
  std::vector<std::string> arguments;  // without the program's name
};

// Converts ticks to nanoseconds of a clock; identical for all processes that share the clock.
struct ClockDefinition {
  std::string timer;  // tsc, monotonic, realtime
  std::uint64_t base_ticks = 0;
  std::int64_t base_nanoseconds = 0;
  double nanoseconds_per_tick = 1;
  sync::ClockId leader = 0;
  // Model of an emulated clock, null if it is real. True time 0 is at the base. All copies share
  // it.
  std::shared_ptr<const sync::ClockModel> emulation = nullptr;

  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t ticks) const {
    const auto distance = static_cast<std::int64_t>(ticks - base_ticks);
    const std::int64_t since = std::llrint(static_cast<double>(distance) * nanoseconds_per_tick);
    return base_nanoseconds + (emulation == nullptr ? since : emulation->local(since));
  }
};

struct ThreadDefinition {
  std::uint32_t number = 0;
  std::string name;
};

// The cores that a thread could use when it ended, or at the end of the run.
struct AffinityDefinition {
  std::uint32_t thread = 0;
  std::string cores;  // "0-3,8"
};

// A location that is no thread. Locations of a process with the same `device` belong to one device,
// which is named like that.
struct LocationDefinition {
  std::uint32_t number = 0;  // among threads and locations
  LocationKind kind = LocationKind::kDevice;
  std::string name;
  std::string device;
};

struct RegionDefinition {
  std::uint32_t id = 0;
  std::string paradigm;  // user, compiler or measurement
  std::string role;      // function, ...
  std::string name;
  std::string mangled;
  std::string file;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
};

// A program or library whose functions were recorded by address.
struct ModuleDefinition {
  std::uint32_t id = 0;
  std::string path;
  std::string build_id;  // hexadecimal; empty if the file has none
};

// A function of a module, as a region without a name. Names are looked up in the files after the
// run. `offset` is the address in the file's own numbering.
struct AddressDefinition {
  std::uint32_t region = 0;
  std::uint32_t module = 0;
  std::uint64_t offset = 0;
};

// A region of a thread runtime, such as a parallel region of OpenMP. It is named after the run by
// the line of its place: the call of the runtime, in the file's own numbering.
struct ConstructDefinition {
  std::uint32_t region = 0;
  std::string role;  // OTF2's name in lower case: parallel, barrier, implicit barrier, ...
  std::string name;  // such as "!$omp parallel"
  std::uint32_t module = 0;
  std::uint64_t place = 0;
  std::string paradigm = "openmp";
};

// A frame of a call path: a function and the place in it where execution was, below another frame.
// The innermost frame identifies the path. Offsets are in the file's own numbering; `place` is
// inside the call instruction.
struct FrameDefinition {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;  // 0: outermost
  std::uint32_t module = 0;
  std::uint64_t place = 0;
  std::uint64_t function = 0;  // its beginning; 0: unknown
  bool is_main = false;        // the C library called it to run the program
};

// A function that a frame stands for. With inlined functions there are several, outermost first.
// Logs of programs only contain functions of Python. Others are found in the files after the run.
struct FrameFunction {
  std::uint32_t frame = 0;
  std::uint32_t instance = 0;  // distinguishes the places where a function was inlined
  std::string name;
  std::string mangled;
  std::string file;
  std::uint32_t line = 0;
  // The line of the frame's place: of the call of the next function, or the one that ran.
  std::string place_file;
  std::uint32_t place_line = 0;  // 0: unknown
};

struct CommDefinition {
  std::uint32_t id = 0;
  std::string kind;          // world, self, intra, inter
  std::uint32_t owner = 0;   // world rank of the local rank 0
  std::uint32_t number = 0;  // on the owner
  std::optional<std::uint32_t> parent;
  std::vector<std::uint32_t> members;  // world ranks; only on the owner
  std::vector<std::uint32_t> remote;   // second side of an intercommunicator
};

struct CommName {
  std::uint32_t id = 0;
  std::string name;
};

// Sources of this process in neighborhood operations: ranks in the communicator.
struct NeighborsDefinition {
  std::uint32_t comm = 0;
  std::vector<std::uint32_t> sources;
};

// Windows of a communicator are numbered in the order of their creation.
struct WindowDefinition {
  std::uint32_t id = 0;
  std::uint32_t comm = 0;
  std::uint32_t number = 0;
};

struct WindowName {
  std::uint32_t id = 0;
  std::string name;
};

// World ranks in the order of the group.
struct GroupDefinition {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> members;
};

struct FileDefinition {
  std::uint32_t id = 0;
  std::string name;
};

// An open file. All members of the communicator open their files in the same order, which `number`
// counts. Modes and flags are OTF2's.
struct FileHandleDefinition {
  std::uint32_t id = 0;
  std::uint32_t file = 0;
  std::uint32_t comm = 0;
  std::uint32_t number = 0;
  std::uint32_t mode = 0;
  std::uint32_t creation = 0;
  std::uint32_t status = 0;
};

struct Property {
  std::string name;
  std::string value;
};

struct LostDefinition {
  std::string what;
  std::uint64_t count = 0;
};

std::string to_line(const ProcessDefinition& d);
std::string to_line(const NodeDefinition& d);
std::string to_line(const MetahostDefinition& d);
std::string to_line(const ProgramDefinition& d);
std::string to_line(const ClockDefinition& d);
std::string to_line(const ThreadDefinition& d);
std::string to_line(const AffinityDefinition& d);
std::string to_line(const LocationDefinition& d);
std::string to_line(const RegionDefinition& d);
std::string to_line(const ModuleDefinition& d);
std::string to_line(const AddressDefinition& d);
std::string to_line(const ConstructDefinition& d);
std::string to_line(const FrameDefinition& d);
std::string to_line(const FrameFunction& d);
std::string to_line(const CommDefinition& d);
std::string to_line(const CommName& d);
std::string to_line(const NeighborsDefinition& d);
std::string to_line(const WindowDefinition& d);
std::string to_line(const WindowName& d);
std::string to_line(const GroupDefinition& d);
std::string to_line(const FileDefinition& d);
std::string to_line(const FileHandleDefinition& d);
std::string to_line(const sync::Measurement& d);
std::string to_line(const Property& d);
std::string to_line(const LostDefinition& d);
std::string end_line();

// All definitions of a process, in the order of their lines.
struct Definitions {
  ProcessDefinition process;
  NodeDefinition node;
  MetahostDefinition metahost;
  ProgramDefinition program;
  ClockDefinition clock;
  std::vector<ThreadDefinition> threads;
  std::vector<AffinityDefinition> affinities;
  std::vector<LocationDefinition> locations;
  std::vector<RegionDefinition> regions;
  std::vector<ModuleDefinition> modules;
  std::vector<AddressDefinition> addresses;
  std::vector<ConstructDefinition> constructs;
  std::vector<FrameDefinition> frames;
  std::vector<FrameFunction> frame_functions;
  std::vector<CommDefinition> comms;
  std::vector<CommName> comm_names;
  std::vector<NeighborsDefinition> neighbors;
  std::vector<WindowDefinition> windows;
  std::vector<WindowName> window_names;
  std::vector<GroupDefinition> groups;
  std::vector<FileDefinition> files;
  std::vector<FileHandleDefinition> file_handles;
  std::vector<sync::Measurement> measurements;  // of this clock against others
  std::vector<Property> properties;
  std::vector<LostDefinition> losses;  // the last count of each kind
  bool complete = false;               // MPI_Finalize was reached

  struct BadLine {
    std::size_t number;  // from 1
    std::string text;
  };
  std::vector<BadLine> bad_lines;  // skipped: unknown, or a field is wrong or missing
};

// Parses a log. Zero bytes at the end (of a killed process) and a last line without its newline are
// ignored; every other line that cannot be parsed is in `bad_lines`.
Definitions parse_definitions(std::string_view text);

}  // namespace latecomer::record
