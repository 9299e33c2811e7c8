// SPDX-License-Identifier: BSD-3-Clause
// Early Scan: its entry in the metric tree.
#include "patterns/waits/early_scan.hpp"

namespace latecomer::patterns {

Metric early_scan_metric() {
  return {
      .name = "mpi_earlyscan",
      .display = "Early Scan",
      .parent = "mpi_collective",
      .unit = Unit::kSeconds,
      .description = "Time processes waited in a prefix operation for a lower rank to enter it.",
      .explanation =
          "In MPI_Scan and MPI_Exscan a process needs data of all ranks below its own. It is "
          "charged the time from its own arrival to that of the last of them.\n"
          "Typical causes: lower ranks have more to do than higher ones.\n"
          "What to try: even out the work, or give lower ranks less of it; MPI_Iscan and "
          "MPI_Iexscan let the higher ones compute in the meantime.\n",
      .formula = "min(latest enter of the ranks up to its own, own leave) - own enter",
      .advice = "Even out the work, or give lower ranks less of it.",
  };
}

}  // namespace latecomer::patterns
