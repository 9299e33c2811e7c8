// SPDX-License-Identifier: BSD-3-Clause
// Which processes of the world take part in the measurement. Some may not: a script may drop the
// library on a rank, a program may open MPI by dlopen(), recording may be switched off there. A
// message of ours on a communicator that has such a process would be taken for one of the program.
// So that is found without MPI: each process says before the real MPI_Init that it comes, to those
// of its node (NodeBoard) and to the launcher (ProcessManager); MPI_Init does not end anywhere
// before it has begun everywhere.
#pragma once

#include <string>
#include <vector>

#include "tracer/session/node_board.hpp"
#include "tracer/session/process_manager.hpp"

namespace latecomer::session {

// What the environment of a process says of the job that it belongs to.
struct JobEnvironment {
  int rank = -1;      // -1: nothing
  int size = 0;       // of the world
  int node_size = 0;  // processes of it on this node; 0: unknown
  std::string job;    // a name that no other job of this machine has; empty: unknown

  [[nodiscard]] static JobEnvironment read();
};

class Attendance {
 public:
  Attendance(const JobEnvironment& environment, ProcessManager manager,
             const std::string& shared_memory = "/dev/shm");

  // Before the real MPI_Init; `records`: this process will. `node` is the name of its node.
  void announce(bool records, const std::string& node);

  // After it, with the rank and size of the world as MPI says them.
  void find_out(int rank, int size);

  [[nodiscard]] bool everybody_records() const { return everybody_; }
  // Of each rank of the world, if not everybody records.
  [[nodiscard]] const std::vector<Presence>& presence() const { return presence_; }
  // Ranks in ascending order.
  [[nodiscard]] std::vector<int> ranks(Presence presence) const;
  // Of those that record, whether they are on this node.
  [[nodiscard]] bool is_on_this_node(int rank) const;
  [[nodiscard]] int first_of_node() const;

  [[nodiscard]] NodeBoard& board() { return board_; }
  [[nodiscard]] const std::string& job() const { return environment_.job; }

 private:
  void ask_for_others();

  JobEnvironment environment_;
  ProcessManager manager_;
  std::string shared_memory_;
  NodeBoard board_;
  bool announced_ = false;
  bool everybody_ = true;
  std::vector<Presence> presence_;
  std::vector<bool> here_;
};

}  // namespace latecomer::session
