// SPDX-License-Identifier: BSD-3-Clause
// Metrics of visits, messages and bytes. They count at the call path of the call that sends or
// completes.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {
namespace {

// Fields of the tables: unique name, display name, parent, unit, description, explanation.
constexpr auto n = Unit::kOccurrences;
constexpr auto b = Unit::kBytes;

std::vector<Metric> synchronizations() {
  return {
      {"syncs", "MPI synchronizations", "", n,
       "Number of operations that synchronize without moving data.",
       "Messages of zero bytes and collective operations in which a process neither sends nor "
       "receives data. A message of zero bytes costs about as much as a small one with data.\n"},
      {"syncs_p2p", "Point-to-point", "syncs", n, "Number of messages of zero bytes.",
       "Sends and receives are both counted, so a message counts twice.\n"},
      {"syncs_send", "Sends", "syncs_p2p", n, "Number of sends of zero bytes.",
       "Counted where the message is sent (at MPI_Isend, not at its completion).\n"},
      {"mpi_slr_count", "Late Receivers", "syncs_send", n,
       "Number of sends of zero bytes that waited for their receivers.",
       "Instances of Late Receiver; a call that completes several sends counts one.\n"},
      {"syncs_recv", "Receives", "syncs_p2p", n, "Number of receives of zero bytes.",
       "Counted where the receive completes: at MPI_Recv, or at the wait or test call that "
       "completes an MPI_Irecv.\n"},
      {"mpi_sls_count", "Late Senders", "syncs_recv", n,
       "Number of receives of zero bytes that waited for their senders.",
       "Instances of Late Sender; a call that completes several receives counts one.\n"},
      {"mpi_slswo_count", "Messages in Wrong Order", "mpi_sls_count", n,
       "Number of these receives that waited although an older message was on its way.",
       "Instances of Messages in Wrong Order, each at the receive that waited.\n"},
      {"syncs_coll", "Collective", "syncs", n,
       "Number of collective operations in which the process neither sends nor receives data.",
       "Barriers, communicator creation, and calls with zero counts. Every participant counts "
       "one.\n"},
      {"syncs_rma", "One-sided", "syncs", n,
       "Number of calls that synchronize one-sided communication.",
       "Fences, calls of epochs with groups, locks and flushes. Compare with the number of "
       "one-sided transfers: many synchronizations with few transfers each cost more than they "
       "move.\n"},
      {"syncs_rma_active", "Active target", "syncs_rma", n,
       "Number of these calls in which the target takes part.",
       "MPI_Win_fence, MPI_Win_start, MPI_Win_complete, MPI_Win_post, MPI_Win_wait, "
       "MPI_Win_test.\n"},
      {"syncs_rma_passive", "Passive target", "syncs_rma", n,
       "Number of these calls in which the target takes no part.",
       "MPI_Win_lock, MPI_Win_unlock, MPI_Win_flush, MPI_Win_sync and their like.\n"},
  };
}

std::vector<Metric> communications() {
  return {
      {"comms", "MPI communications", "", n, "Number of operations that move data.",
       "Messages and collective operations with at least one byte.\n"
       "What to try: many operations with few bytes each (compare with MPI bytes transferred) "
       "suffer from latency: combine them.\n"},
      {"comms_p2p", "Point-to-point", "comms", n, "Number of messages with data.",
       "Sends and receives are both counted, so a message counts twice.\n"},
      {"comms_send", "Sends", "comms_p2p", n, "Number of sends with at least one byte.",
       "Counted where the message is sent (at MPI_Isend, not at its completion).\n"},
      {"mpi_clr_count", "Late Receivers", "comms_send", n,
       "Number of sends with data that waited for their receivers.",
       "Instances of Late Receiver; a call that completes several sends counts one.\n"},
      {"comms_recv", "Receives", "comms_p2p", n, "Number of receives with at least one byte.",
       "Counted where the receive completes: at MPI_Recv, or at the wait or test call that "
       "completes an MPI_Irecv.\n"},
      {"mpi_cls_count", "Late Senders", "comms_recv", n,
       "Number of receives with data that waited for their senders.",
       "Instances of Late Sender; a call that completes several receives counts one.\n"},
      {"mpi_clswo_count", "Messages in Wrong Order", "mpi_cls_count", n,
       "Number of these receives that waited although an older message was on its way.",
       "Instances of Messages in Wrong Order, each at the receive that waited.\n"},
      {"comms_coll", "Collective", "comms", n,
       "Number of collective operations in which the process sends or receives data.",
       "Every participant counts one, by its own role in the operation.\n"},
      {"comms_cxch", "Exchange", "comms_coll", n,
       "Number of collective operations in which the process both sends and receives.",
       "For example every process of an MPI_Allreduce, and the root of an MPI_Bcast, which also "
       "delivers to itself.\n"},
      {"comms_csrc", "As source", "comms_coll", n,
       "Number of collective operations in which the process only sends.",
       "For example the processes that are not the root of an MPI_Reduce.\n"},
      {"comms_cdst", "As destination", "comms_coll", n,
       "Number of collective operations in which the process only receives.",
       "For example the processes that are not the root of an MPI_Bcast.\n"},
      {"comms_rma", "One-sided", "comms", n, "Number of one-sided transfers.",
       "Put, get and atomic operations to processes that exist, counted where they are asked "
       "for.\n"},
      {"comms_rma_puts", "Puts", "comms_rma", n, "Number of puts.", "MPI_Put and MPI_Rput.\n"},
      {"comms_rma_gets", "Gets", "comms_rma", n, "Number of gets.", "MPI_Get and MPI_Rget.\n"},
      {"comms_rma_atomics", "Atomics", "comms_rma", n, "Number of atomic operations.",
       "MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap and their "
       "like.\n"},
  };
}

std::vector<Metric> pairwise() {
  return {
      {"mpi_rma_pairsync_count", "MPI pair-wise one-sided synchronizations", "", n,
       "Number of processes that one-sided synchronization calls synchronized with.",
       "For a fence the number of processes of the window, for MPI_Win_post, MPI_Win_start, "
       "MPI_Win_complete and MPI_Win_wait that of the group.\n"
       "What to try: where it is much larger than the number of processes that exchange data, "
       "synchronize with those only.\n"},
      {"mpi_rma_pairsync_unneeded_count", "Unneeded synchronizations", "mpi_rma_pairsync_count", n,
       "Number of processes that calls synchronized with although no data was exchanged with them.",
       "Of a group of MPI_Win_post, MPI_Win_start, MPI_Win_complete and MPI_Win_wait those "
       "processes that did not access the window, or were not accessed, in the epoch. Of a fence "
       "those with which nothing was transferred, in either direction, since the last fence and up "
       "to the next one; the process itself counts with them.\n"
       "What to try: smaller groups; MPI_Win_start and MPI_Win_post with the real partners instead "
       "of fences, which synchronize all processes of the window.\n"},
  };
}

std::vector<Metric> file_operations() {
  return {
      {"mpi_file_ops", "MPI file operations", "", n,
       "Number of calls that read or write files through MPI.",
       "Each call counts one, however many bytes it moves; a pair of calls (..._begin and ..._end) "
       "counts one as well.\n"
       "What to try: many calls with little time each suffer from latency: combine them.\n"},
      {"mpi_file_iops", "Individual", "mpi_file_ops", n,
       "Number of reads and writes that processes do on their own.",
       "MPI_File_read, MPI_File_write, with explicit offsets and shared pointers as well, blocking "
       "or not.\n"},
      {"mpi_file_irops", "Reads", "mpi_file_iops", n, "Number of individual reads.",
       "MPI_File_read, MPI_File_read_at, MPI_File_iread, MPI_File_read_shared and their like.\n"},
      {"mpi_file_iwops", "Writes", "mpi_file_iops", n, "Number of individual writes.",
       "MPI_File_write, MPI_File_write_at, MPI_File_iwrite, MPI_File_write_shared and their "
       "like.\n"},
      {"mpi_file_cops", "Collective", "mpi_file_ops", n,
       "Number of reads and writes that all processes of a file do together.",
       "Every participant counts one, so a call of all processes counts as many as there are.\n"},
      {"mpi_file_crops", "Reads", "mpi_file_cops", n, "Number of collective reads.",
       "MPI_File_read_all, MPI_File_read_at_all, MPI_File_read_ordered and their like.\n"},
      {"mpi_file_cwops", "Writes", "mpi_file_cops", n, "Number of collective writes.",
       "MPI_File_write_all, MPI_File_write_at_all, MPI_File_write_ordered and their like.\n"},
  };
}

std::vector<Metric> bytes() {
  return {
      {"bytes", "MPI bytes transferred", "", b, "Number of bytes sent and received.",
       "What leaves one process and arrives at another is counted on both sides. For collective "
       "operations the bytes are those of an implementation by simple messages; the MPI library "
       "may move fewer.\n"},
      {"bytes_p2p", "Point-to-point", "bytes", b, "Number of bytes in messages.",
       "Compare the processes: large differences show an uneven distribution of the data.\n"},
      {"bytes_sent", "Sent", "bytes_p2p", b, "Number of bytes sent in messages.",
       "Counted at the call that sends.\n"},
      {"bytes_rcvd", "Received", "bytes_p2p", b, "Number of bytes received in messages.",
       "Counted at the call that completes the receive; the bytes that came, not the size of the "
       "receive buffer.\n"},
      {"bytes_coll", "Collective", "bytes", b, "Number of bytes in collective operations.",
       "The bytes are those of an implementation by simple messages, including what a process "
       "delivers to itself.\n"},
      {"bytes_cout", "Outgoing", "bytes_coll", b,
       "Number of bytes a process contributes to collective operations.",
       "For an MPI_Bcast the root contributes the buffer once for every member of the "
       "communicator.\n"},
      {"bytes_cin", "Incoming", "bytes_coll", b,
       "Number of bytes a process gets from collective operations.",
       "For an MPI_Allgather every process gets the contribution of every member of the "
       "communicator.\n"},
      {"bytes_rma", "One-sided", "bytes", b, "Number of bytes in one-sided transfers.",
       "Counted at the process that asks for the transfer only.\n"},
      {"bytes_put", "Sent", "bytes_rma", b, "Number of bytes sent in one-sided transfers.",
       "By MPI_Put and its like, and as operands of atomic operations.\n"},
      {"bytes_get", "Received", "bytes_rma", b, "Number of bytes received in one-sided transfers.",
       "By MPI_Get and its like, and as results of atomic operations.\n"},
  };
}

}  // namespace

std::vector<Metric> file_byte_metrics() {
  return {
      {"mpi_file_bytes", "MPI file bytes", "", b,
       "Number of bytes read from files and written to files through MPI.",
       "What operations have moved, as their status says: less than was asked for at the end of a "
       "file. Counted at the call that begins the operation, also where another one completes it. "
       "Only in traces that record file operations (OTF2's I/O records of MPI-IO).\n"
       "What to try: few bytes per call (MPI file operations): write larger blocks, or "
       "collectively; very different numbers of the processes: spread the data, if the file system "
       "can take it from several.\n"},
      {"mpi_file_ibytes", "Individual", "mpi_file_bytes", b,
       "Number of bytes in reads and writes that processes do on their own.",
       "MPI_File_read, MPI_File_write, with explicit offsets and shared pointers as well, blocking "
       "or not.\n"},
      {"mpi_file_irbytes", "Read", "mpi_file_ibytes", b, "Number of bytes in individual reads.",
       "MPI_File_read, MPI_File_read_at, MPI_File_iread, MPI_File_read_shared and their like.\n"},
      {"mpi_file_iwbytes", "Written", "mpi_file_ibytes", b, "Number of bytes in individual writes.",
       "MPI_File_write, MPI_File_write_at, MPI_File_iwrite, MPI_File_write_shared and their "
       "like.\n"},
      {"mpi_file_cbytes", "Collective", "mpi_file_bytes", b,
       "Number of bytes in reads and writes that all processes of a file do together.",
       "Each process counts its own part, which another one may read or write for it.\n"},
      {"mpi_file_crbytes", "Read", "mpi_file_cbytes", b, "Number of bytes in collective reads.",
       "MPI_File_read_all, MPI_File_read_at_all, MPI_File_read_ordered and their like.\n"},
      {"mpi_file_cwbytes", "Written", "mpi_file_cbytes", b, "Number of bytes in collective writes.",
       "MPI_File_write_all, MPI_File_write_at_all, MPI_File_write_ordered and their like.\n"},
  };
}

std::vector<Metric> count_metrics() {
  std::vector<Metric> out = {
      {"visits", "Visits", "", n, "Number of times a call path was entered.",
       "For an MPI function this is the number of calls.\n"
       "What to try: functions with very many visits and little time each cost more in measurement "
       "than they are worth: leave them out with a filter.\n"}};
  for (auto* family : {synchronizations, pairwise, communications, file_operations, bytes}) {
    for (auto& metric : family()) out.push_back(std::move(metric));
  }
  return out;
}

}  // namespace latecomer::patterns
