// SPDX-License-Identifier: BSD-3-Clause
// Communicators of this process: local ids, and the name that all their members agree on.
#pragma once

#include <mpi.h>

#include <vector>

#include "tracer/mpi/handle_table.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

inline constexpr record::CommId kWorld = 0;
inline constexpr record::CommId kSelf = 1;

struct CommInfo {
  record::CommId id = 0;
  int rank = 0;
  int size = 0;
  int remote_size = 0;  // of an intercommunicator, else 0
  // Its collectives are in one order with those of all such communicators: it has all processes,
  // and no other thread can be in a collective of another one.
  bool everybody = false;
  std::uint32_t series = 0;   // persistent collective operations that were initialized
  std::uint32_t windows = 0;  // that were made
  std::uint32_t files = 0;    // that were opened
};

namespace communicators {

// After PMPI_Init: world and self. Until the end all members of a new communicator must come here.
void begin();
void end();
[[nodiscard]] bool known();

namespace detail {
inline constinit HandleTable<CommInfo> table;
inline int tag_limit = 0;
}  // namespace detail

// MPI_TAG_UB.
[[nodiscard]] inline int largest_tag() { return detail::tag_limit; }

// What is known of a communicator; null if it is unknown (it has members of another world, ...).
[[nodiscard]] inline const CommInfo* find(MPI_Comm comm) {
  return detail::table.find(key_of(comm));
}

// Counts a persistent collective operation, which all members initialize in the same order: from 1.
std::uint32_t next_series(MPI_Comm comm);
// The same for windows, from 0.
std::uint32_t next_window(MPI_Comm comm);
// And for files that are opened.
std::uint32_t next_file(MPI_Comm comm);

// Of all members in the order of the group; MPI_UNDEFINED for processes of another world.
std::vector<std::uint32_t> world_ranks(MPI_Group group);

// Names a new communicator: collective over its members. `parent` may be MPI_COMM_NULL.
const CommInfo* add(MPI_Comm fresh, MPI_Comm parent);

// The same for MPI_Comm_idup, where nothing may block: the name travels on the parent beside the
// operation itself. `name` must live until finish.
struct Name {
  int owner = 0;   // world rank
  int number = 0;  // on the owner
};
void begin_naming(MPI_Comm parent, Name* name, MPI_Request* request);
const CommInfo* finish_naming(MPI_Comm fresh, record::CommId parent, const Name& name);

inline constexpr record::CommId kNone = 0xffffffff;

// Forgets a communicator that is about to be freed, or takes it back where MPI refused to.
void remove(MPI_Comm comm);
void restore(MPI_Comm comm, const CommInfo& info);

// Logs the name that the program gave to a communicator.
void set_name(MPI_Comm comm);

}  // namespace communicators
}  // namespace latecomer::mpi
