// SPDX-License-Identifier: BSD-3-Clause
// Late Sender: its record.
#include "patterns/waits/late_sender.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait late_sender_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_latesender",
              .display = "Late Sender",
              .parent = "mpi_point2point",
              .unit = Unit::kSeconds,
              .description =
                  "Time a receiver was blocked before the sender had even begun to send.",
              .explanation =
                  "A receive (MPI_Recv, MPI_Sendrecv or the MPI_Wait or MPI_Test that completes an "
                  "MPI_Irecv) was entered before the matching send. Nothing could arrive until the "
                  "sender entered its send, so the time from the entry of the receive to the entry "
                  "of the send is lost. It is charged to the receiver, at the call path of the "
                  "receive or of the wait call. Probes (MPI_Probe, MPI_Mprobe, MPI_Iprobe, "
                  "MPI_Improbe) that were entered before the send of the message that is received "
                  "next wait like the receive. A call that completes several receives is charged "
                  "once, with the longest of the waits. Unsuccessful tests count as well "
                  "(Polling).\n"
                  "Typical causes: the sender had more to compute than the receiver (load "
                  "imbalance); it did other things first (another message, output, a different "
                  "order of neighbors); or it was itself waiting for another process, and the "
                  "delay travelled on.\n"
                  "What to try: look at what the sender does before the send, on the ranks that "
                  "others wait for. Even out the work; send as soon as the data is ready and "
                  "compute the rest afterwards; post MPI_Irecv early and put work that does not "
                  "need the data before the MPI_Wait; receive in the order in which messages are "
                  "sent.\n",
              .formula = "min(enter of the send, leave of the receive) - enter of the receive",
              .advice = "Find out what the sender does before it sends: even out the work, or send "
                        "earlier.",
          },
      .order = 50,
      .waiting = true,
      .polling = 1,
      .causes = OwnCauses{.delay = "delay_latesender", .split = "latesender", .chain = "ls"},
      .counts = {"mpi_sls_count", "mpi_cls_count"},
      .drawing = Drawing{{"sender", "receiver"},
                         {{0, 0, 58, kWork, "still computes"},
                          {0, 58, 74, kCall, "send"},
                          {0, 74, 100, kWork, ""},
                          {1, 0, 18, kWork, ""},
                          {1, 18, 58, kWait, "waits"},
                          {1, 58, 82, kCall, "receive"},
                          {1, 82, 100, kWork, ""}},
                         {{0, 60, 1, 80}},
                         {}},
  };
}

}  // namespace latecomer::patterns
