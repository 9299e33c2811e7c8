// SPDX-License-Identifier: BSD-3-Clause
// Communicators of this process: local ids, and the identity on which all their members agree.
#pragma once

#include <mpi.h>

#include <vector>

#include "tracer/record/writer.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

namespace communicators {

// Called after PMPI_Init; adds world and self. All members of a new communicator must come here
// until end().
void begin();
void end();
[[nodiscard]] bool known();

// Value of MPI_TAG_UB.
[[nodiscard]] inline int largest_tag() { return process().mpi.communicators.tag_limit; }

// Entry of a communicator; null if it is unknown, for example because it has members of other
// worlds.
[[nodiscard]] inline const CommInfo* find(MPI_Comm comm) {
  return process().mpi.communicators.table.find(key_of(comm));
}

// The same, to count operations there.
[[nodiscard]] inline CommInfo* find_to_count(MPI_Comm comm) {
  return process().mpi.communicators.table.find(key_of(comm));
}

// The communicator of a message to or from `rank`, or null if nothing is recorded: there is no such
// process, it is MPI_PROC_NULL, or MPI refuses the tag.
[[nodiscard]] [[gnu::always_inline]] inline const CommInfo* find_for(int rank, int tag,
                                                                     MPI_Comm comm) {
  if (rank < 0 || tag < 0 || tag > largest_tag()) return nullptr;
  const CommInfo* info = find(comm);
  if (info == nullptr) return nullptr;
  return rank < (info->remote_size != 0 ? info->remote_size : info->size) ? info : nullptr;
}

// Counts a persistent collective operation, which all members initialize in the same order; from 1.
std::uint32_t next_series(MPI_Comm comm);
// Counts a window, from 0.
std::uint32_t next_window(MPI_Comm comm);
// Counts an opened file, from 0.
std::uint32_t next_file(MPI_Comm comm);

// World ranks of all members in the order of the group; MPI_UNDEFINED for processes of other
// worlds.
std::vector<std::uint32_t> world_ranks(MPI_Group group);

// Identifies a new communicator. Collective over its members. `parent` may be MPI_COMM_NULL.
const CommInfo* add(MPI_Comm fresh, MPI_Comm parent);

// Identifies a communicator of MPI_Comm_idup, where nothing may block. The name travels on the
// parent, beside the operation itself. `name` must live until finish_naming().
void begin_naming(MPI_Comm parent, CommName* name, MPI_Request* request);
const CommInfo* finish_naming(MPI_Comm fresh, record::CommId parent, const CommName& name);

inline constexpr record::CommId kNone = 0xffffffff;

// Forgets a communicator that is about to be freed; restores it if MPI refused to free it.
void remove(MPI_Comm comm);
void restore(MPI_Comm comm, const CommInfo& info);

// Logs the name that the program gave to a communicator.
void set_name(MPI_Comm comm);

}  // namespace communicators
}  // namespace latecomer::mpi
