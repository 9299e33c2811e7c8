// SPDX-License-Identifier: BSD-3-Clause
// Messages in Wrong Order: its entry in the metric tree.
#include "patterns/waits/wrong_order.hpp"

namespace latecomer::patterns {

Metric wrong_order_metric() {
  return {
      .name = "mpi_latesender_wo",
      .display = "Messages in Wrong Order",
      .parent = "mpi_latesender",
      .unit = Unit::kSeconds,
      .description =
          "Part of Late Sender in receives that waited although an older message was on its way.",
      .explanation =
          "A process waited for a message, and afterwards received one that had been sent "
          "earlier. Had it received in the order of sending, it would have had something to do "
          "while it waited.\n"
          "Typical causes: receives in a fixed order of neighbors; messages of several kinds "
          "received in the order of the program rather than of their arrival.\n"
          "What to try: MPI_Waitany, MPI_Waitsome or MPI_ANY_SOURCE to take what comes first; "
          "send in the order in which the receiver needs the data.\n",
      .formula = "the Late Sender wait of a receive before one whose message was sent earlier",
      .advice = "Take what comes first: MPI_Waitany, MPI_Waitsome, MPI_ANY_SOURCE.",
  };
}

Metric wrong_order_different_metric() {
  auto metric = wrong_order_metric();
  metric.parent = metric.name;
  metric.name = "mpi_lswo_different";
  metric.display = "From different sources";
  metric.description = "The part in which the older message came from another process.";
  return metric;
}

Metric wrong_order_same_metric() {
  auto metric = wrong_order_metric();
  metric.parent = metric.name;
  metric.name = "mpi_lswo_same";
  metric.display = "From same source";
  metric.description = "The part in which the older message came from the same process.";
  return metric;
}

}  // namespace latecomer::patterns
