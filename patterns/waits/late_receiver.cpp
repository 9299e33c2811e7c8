// SPDX-License-Identifier: BSD-3-Clause
// Late Receiver: its record.
#include "patterns/waits/late_receiver.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait late_receiver_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_latereceiver",
              .display = "Late Receiver",
              .parent = "mpi_point2point",
              .unit = Unit::kSeconds,
              .description =
                  "Time a sender was blocked before the receiver had posted the receive.",
              .explanation =
                  "A send that cannot be buffered has to wait until the receiver has posted the "
                  "receive: synchronous sends, and messages above the size that the MPI library "
                  "sends eagerly. The time from the entry of the send (or of the call that "
                  "completes it) to the entry of the receive is charged to the sender. A call that "
                  "also waits for a late sender (MPI_Waitall of a send and a receive) waits for "
                  "that one first: only what is left of its time is Late Receiver.\n"
                  "Which messages can block the sender is taken from the trace itself: a size "
                  "counts as eager if a message of that size or more returned on a link of the "
                  "same kind before its receive was posted.\n"
                  "Typical causes: the receiver has more to do; it takes messages in an order that "
                  "differs from that of sending.\n"
                  "What to try: post MPI_Irecv early; use MPI_Isend and complete it later; send "
                  "smaller pieces; even out the work.\n",
              .formula = "enter of the receive - enter of the send, if the send was still in its "
                         "call then",
              .advice =
                  "Post receives earlier (MPI_Irecv), or even out the work of sender and receiver.",
          },
      .order = 60,
      .waiting = true,
      .polling = 2,
      .causes = OwnCauses{.delay = "delay_latereceiver", .split = "latereceiver", .chain = "lr"},
      .counts = {"mpi_slr_count", "mpi_clr_count"},
      .drawing = Drawing{{"sender", "receiver"},
                         {{0, 0, 18, kWork, ""},
                          {0, 18, 58, kWait, "waits"},
                          {0, 58, 78, kCall, "send"},
                          {0, 78, 100, kWork, ""},
                          {1, 0, 58, kWork, "still computes"},
                          {1, 58, 84, kCall, "receive"},
                          {1, 84, 100, kWork, ""}},
                         {{0, 60, 1, 82}},
                         {}},
  };
}

}  // namespace latecomer::patterns
