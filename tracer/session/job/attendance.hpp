// SPDX-License-Identifier: BSD-3-Clause
// Finds out which processes of the world take part in the measurement.
//
// Some may not: a script may drop the library on a rank, a program may open MPI by dlopen(), or
// recording may be switched off there. Such a process would take a message of the tracer on a
// communicator for one of the program. So attendance is found out without MPI. Before the real
// MPI_Init each process announces itself to its node (NodeBoard) and to the launcher
// (ProcessManager). That is early enough, since MPI_Init ends on no process before it has begun on
// all of them.
#pragma once

#include <string>
#include <vector>

#include "tracer/exchange/node_board.hpp"
#include "tracer/session/job/process_manager.hpp"

namespace latecomer::session {

using exchange::NodeBoard;
using exchange::Presence;

// The job of a process, as its environment describes it.
struct JobEnvironment {
  int rank = -1;      // -1: unknown
  int size = 0;       // processes in the world
  int node_size = 0;  // processes of the job on this node; 0: unknown
  std::string job;    // unique among the jobs of this machine; empty: unknown

  [[nodiscard]] static JobEnvironment read();
};

class Attendance {
 public:
  Attendance(const JobEnvironment& environment, ProcessManager manager,
             const std::string& shared_memory = "/dev/shm");

  // Called before the real MPI_Init. `records` says if this process will record; `node` is the name
  // of its node. A process that `offers_exchange` needs no MPI if all processes are on its node.
  void announce(bool records, const std::string& node, bool offers_exchange = false);

  // Called after MPI_Init, with rank and size of the world from MPI.
  void find_out(int rank, int size);

  [[nodiscard]] bool everybody_records() const { return everybody_; }
  // Presence of each rank of the world, if not all processes record.
  [[nodiscard]] const std::vector<Presence>& presence() const { return presence_; }
  // Ranks with this presence, in ascending order.
  [[nodiscard]] std::vector<int> ranks(Presence presence) const;
  // True for a rank that has announced itself on this node.
  [[nodiscard]] bool is_on_this_node(int rank) const;
  // Lowest rank on this node that records.
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
