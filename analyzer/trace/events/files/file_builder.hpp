// SPDX-License-Identifier: BSD-3-Clause
// Collects the operations of one location on files: of MPI with bytes, calls that complete
// operations, and collective calls; of others with bytes and times.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/trace/events/collectives/collective_builder.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/files/file_operations.hpp"

namespace latecomer::trace {

// Handles are ids of the archive. An operation is identified by its handle and a number that begin
// and end share. Only operations that begin in an MPI call that reads or writes files count.
class FileBuilder {
 public:
  enum class Operation : std::uint8_t { kRead, kWrite, kOther };

  FileBuilder(RegionBuilder& regions, CollectiveBuilder& collectives)
      : regions_(regions), collectives_(collectives) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);

  // The handle is created, destroyed or changed in a collective call.
  void collective_call(Ticks t, std::uint32_t handle);
  void begin(Ticks t, std::uint32_t handle, Operation what, std::uint64_t matching);
  void end(Ticks t, std::uint32_t handle, std::uint64_t bytes, std::uint64_t matching);
  // The same for files outside MPI; `file` is an index in Definitions::other_files.
  void begin_outside(Ticks t, std::uint32_t file, Operation what, std::uint64_t matching);
  void end_outside(Ticks t, std::uint32_t file, std::uint64_t bytes, std::uint64_t matching);
  // A handle was created or destroyed at the end of a call, whose whole time counts. Its accesses
  // to the file, as when a stream is closed, count for themselves.
  void opened_outside(Ticks t, std::uint32_t file);
  void cancelled(Ticks t, std::uint32_t handle, std::uint64_t matching);
  // Adds collective calls that were not recorded.
  void unrecorded(Ticks t, std::uint32_t handle, std::uint32_t series, std::uint64_t count);
  // The Call of a collective operation on a file ends.
  void end_call(std::uint32_t call, Ticks t);

  [[nodiscard]] FileOperations finish();

 private:
  void add_call(std::uint32_t handle);
  bool take_outside(Event& event, std::uint32_t file);
  [[nodiscard]] bool is_in_mpi() const;
  FileUse& use_of(std::uint32_t node, std::uint32_t file);

  struct OpenOutside {
    Ticks begin = 0;
    std::uint32_t node = 0;
    Operation what = Operation::kOther;
  };
  struct Open {
    std::uint32_t node = 0;
    Operation what = Operation::kOther;
  };
  RegionBuilder& regions_;
  CollectiveBuilder& collectives_;
  FileOperations out_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Open> open_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, OpenOutside> open_outside_;
  Ticks counted_until_ = INT64_MIN;  // end of the last operation or handle record outside MPI
  std::map<std::pair<std::uint32_t, std::uint32_t>, FileUse> uses_;  // by node and file
};

}  // namespace latecomer::trace
