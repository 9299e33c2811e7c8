// SPDX-License-Identifier: BSD-3-Clause
// Metrics of time in MPI calls by class of call. time_class.hpp maps calls to these metrics.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {
namespace {

// Fields of the tables: unique name, display name, parent, unit, description, explanation.

std::vector<Metric> management() {
  return {
      {"mpi_management", "Management", "mpi", Unit::kSeconds,
       "Time in MPI calls that set up or release communicators, files, windows and MPI itself.",
       "Most calls of this kind are collective and happen at the beginning and the end of a run, "
       "so they matter in short runs and at high numbers of processes.\n"
       "What to try: create communicators, windows and files once and keep them, instead of "
       "creating and freeing them in a loop.\n"},
      {"mpi_init_exit", "Init/Finalize", "mpi_management", Unit::kSeconds,
       "Time in MPI_Init, MPI_Init_thread and MPI_Finalize.",
       "Starting and ending MPI. Processes that finish early stand in MPI_Finalize until the last "
       "one comes, so uneven work at the end of a program shows here. Reading input on one process "
       "before MPI_Init lets the others stand in MPI_Init.\n"},
      {"mpi_mgmt_comm", "Communicator", "mpi_management", Unit::kSeconds,
       "Time in calls that create, query or free communicators and topologies.",
       "MPI_Comm_split, MPI_Comm_dup, MPI_Cart_create and their like synchronize all members. Time "
       "here is often waiting for the last member rather than work.\n"
       "What to try: keep communicators instead of creating them again and again.\n"},
      {"mpi_mgmt_file", "File", "mpi_management", Unit::kSeconds,
       "Time in calls that open, close or describe files through MPI.",
       "MPI_File_open, MPI_File_close, MPI_File_set_view, MPI_File_seek and their like. Opening "
       "and closing are collective and go to the file system's metadata server.\n"
       "What to try: fewer files, opened less often; file system hints in the MPI_Info object.\n"},
      {"mpi_mgmt_win", "Window", "mpi_management", Unit::kSeconds,
       "Time in calls that create or free windows for one-sided communication.",
       "MPI_Win_create, MPI_Win_allocate, MPI_Win_free and their like are collective and may "
       "register memory with the network, which takes time in proportion to its size.\n"
       "What to try: create windows once and keep them.\n"},
  };
}

std::vector<Metric> synchronization() {
  return {
      {"mpi_synchronization", "Synchronization", "mpi", Unit::kSeconds,
       "Time in MPI calls that only synchronize: barriers and one-sided synchronization.",
       "These calls move no data of the program. Time here is lost unless it keeps something in "
       "order that would go wrong otherwise.\n"},
      {"mpi_sync_collective", "Collective", "mpi_synchronization", Unit::kSeconds,
       "Time in barriers.",
       "Time in MPI_Barrier and in starting MPI_Ibarrier. Most of it is usually waiting for the "
       "last process (Wait at Barrier); what is left is the cost of the barrier itself.\n"
       "What to try: leave out barriers that only serve timing or tidiness.\n"},
      {"mpi_rma_synchronization", "One-sided", "mpi_synchronization", Unit::kSeconds,
       "Time in the synchronization of one-sided communication.",
       "Fences, start/complete, post/wait, locks and flushes. As one-sided operations may be "
       "delayed until the synchronization, transfers can be hidden here as well as waiting.\n"},
      {"mpi_rma_sync_active", "Active Target", "mpi_rma_synchronization", Unit::kSeconds,
       "Time in one-sided synchronization in which the target takes part.",
       "MPI_Win_fence, MPI_Win_start, MPI_Win_complete, MPI_Win_post, MPI_Win_wait, MPI_Win_test.\n"
       "What to try: replace fences, which synchronize all processes, by start/complete and "
       "post/wait among the processes that exchange data.\n"},
      {"mpi_rma_sync_passive", "Passive Target", "mpi_rma_synchronization", Unit::kSeconds,
       "Time in one-sided synchronization without help of the target: locks and flushes.",
       "MPI_Win_lock, MPI_Win_unlock, MPI_Win_flush, MPI_Win_sync and their like. The time may be "
       "competition for the lock, transfers that are completed here, or a target whose MPI makes "
       "no progress because it computes.\n"},
  };
}

std::vector<Metric> communication() {
  return {
      {"mpi_communication", "Communication", "mpi", Unit::kSeconds,
       "Time in MPI calls that move data.",
       "Point-to-point messages, collective operations and one-sided transfers. It holds both the "
       "transfer and the waiting for partners; the wait states below say how much is waiting.\n"},
      {"mpi_point2point", "Point-to-point", "mpi_communication", Unit::kSeconds,
       "Time in calls that send, receive, or complete messages.",
       "MPI_Send, MPI_Recv, MPI_Isend, MPI_Irecv, MPI_Sendrecv, MPI_Probe, the MPI_Wait and "
       "MPI_Test families and their like, unless they complete collective or file operations "
       "only.\n"
       "What to try: see whether the time is waiting (Late Sender). If not, it is the cost of "
       "messages: send fewer and larger ones, and let nonblocking transfers overlap with "
       "computation.\n"},
      {"mpi_collective", "Collective", "mpi_communication", Unit::kSeconds,
       "Time in collective operations that move data.",
       "Broadcasts, reductions, gathers, scatters, all-to-all exchanges and prefix operations, "
       "among intra- and intercommunicators; of nonblocking ones the time to start them and that "
       "of the MPI_Wait or MPI_Test call that completes them, unless it completes messages as "
       "well: then only the waiting.\n"
       "What to try: see whether the time is waiting (Wait at N x N). If not, it is the cost of "
       "the operation: use smaller communicators, combine several small operations into one, or "
       "use nonblocking forms.\n"},
      {"mpi_rma_communication", "One-sided", "mpi_communication", Unit::kSeconds,
       "Time in one-sided operations: put, get and atomic updates.",
       "MPI_Put, MPI_Get, MPI_Accumulate, MPI_Fetch_and_op and their like. MPI may delay the "
       "transfer to the next synchronization, so this is not all of the transfer time.\n"},
  };
}

std::vector<Metric> file_io() {
  return {
      {"mpi_io", "File I/O", "mpi", Unit::kSeconds,
       "Time in calls that read or write files through MPI.",
       "Reading and writing with MPI_File_read, MPI_File_write and their like, and the MPI_Wait "
       "and MPI_Test calls that complete such operations and nothing else.\n"},
      {"mpi_io_individual", "Individual", "mpi_io", Unit::kSeconds,
       "Time in reads and writes that each process does on its own.",
       "Many small independent accesses are the slowest way to use a parallel file system.\n"
       "What to try: collective reads and writes, which let MPI combine the accesses.\n"},
      {"mpi_io_collective", "Collective", "mpi_io", Unit::kSeconds,
       "Time in reads and writes that all processes of a file do together.",
       "The processes often synchronize, so some of the time is waiting for the last one (Wait at "
       "Collective File I/O).\n"
       "What to try: arrive evenly; larger accesses; hints such as the number of aggregators.\n"},
  };
}

}  // namespace

std::vector<Metric> mpi_time_metrics() {
  std::vector<Metric> out = {
      {"mpi", "MPI", "execution", Unit::kSeconds, "Time in MPI calls.",
       "Time between entering and leaving MPI functions: transfer, waiting for other processes, "
       "and the library's own work. Calls of no particular class (datatypes, groups, timers, "
       "MPI_Start) count here and in none of the parts below.\n"
       "What to try: open the tree to see which class of calls dominates and how much of it is "
       "waiting.\n"}};
  for (auto* family : {management, synchronization, communication, file_io}) {
    for (auto& metric : family()) out.push_back(std::move(metric));
  }
  return out;
}

}  // namespace latecomer::patterns
