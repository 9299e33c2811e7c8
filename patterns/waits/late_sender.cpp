// SPDX-License-Identifier: BSD-3-Clause
// Late Sender: its entry in the metric tree.
#include "patterns/waits/late_sender.hpp"

namespace latecomer::patterns {

Metric late_sender_metric() {
  return {
      .name = "mpi_latesender",
      .display = "Late Sender",
      .parent = "mpi_point2point",
      .unit = Unit::kSeconds,
      .description = "Time a receiver was blocked before the sender had even begun to send.",
      .explanation =
          "A receive (MPI_Recv, MPI_Sendrecv or the MPI_Wait or MPI_Test that completes an "
          "MPI_Irecv) was "
          "entered before the matching send. Nothing could arrive until the sender entered its "
          "send, so the time from the entry of the receive to the entry of the send is lost. It is "
          "charged to the receiver, at the call path of the receive or of the wait call. Probes "
          "(MPI_Probe, MPI_Mprobe, MPI_Iprobe, MPI_Improbe) that were entered before the send of "
          "the "
          "message that is received next wait like the receive. A call "
          "that completes several receives is charged once, with the longest of the waits. Tests "
          "in "
          "vain count as well (Polling).\n"
          "Typical causes: the sender had more to compute than the receiver (load imbalance); it "
          "did other things first (another message, output, a different order of neighbors); or it "
          "was itself waiting for somebody, and the delay travelled on.\n"
          "What to try: look at what the sender does before the send, on the ranks that others "
          "wait for. Even out the work; send as soon as the data is ready and compute the rest "
          "afterwards; post MPI_Irecv early and put work that does not need the data before the "
          "MPI_Wait; receive in the order in which messages are sent.\n",
      .formula = "min(enter of the send, leave of the receive) - enter of the receive",
      .advice =
          "Find out what the sender does before it sends: even out the work, or send earlier.",
  };
}

}  // namespace latecomer::patterns
