// SPDX-License-Identifier: BSD-3-Clause
// Early Scan: its record.
#include "patterns/waits/early_scan.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait early_scan_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_earlyscan",
              .display = "Early Scan",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description =
                  "Time processes waited in a prefix operation for a lower rank to enter it.",
              .explanation =
                  "In MPI_Scan and MPI_Exscan a process needs data of all ranks below its own. It "
                  "is charged the time from its own arrival to that of the last of them.\n"
                  "Typical causes: lower ranks have more to do than higher ones.\n"
                  "What to try: even out the work, or give lower ranks less of it; MPI_Iscan and "
                  "MPI_Iexscan let the higher ones compute in the meantime.\n",
              .formula = "min(latest enter of the ranks up to its own, own leave) - own enter",
              .advice = "Even out the work, or give lower ranks less of it.",
          },
      .order = 80,
      .waiting = true,
      .polling = 5,
      .causes = OwnCauses{.delay = "delay_scan", .split = "earlyscan", .chain = "earlyscan"},
      .drawing = Drawing{{"rank 0", "rank 1", "rank 2"},
                         {{0, 0, 58, kWork, "still computes"},
                          {0, 58, 68, kCall, ""},
                          {0, 68, 100, kWork, ""},
                          {1, 0, 22, kWork, ""},
                          {1, 22, 58, kWait, "waits"},
                          {1, 58, 76, kCall, ""},
                          {1, 76, 100, kWork, ""},
                          {2, 0, 34, kWork, ""},
                          {2, 34, 58, kWait, "waits"},
                          {2, 58, 84, kCall, "Scan"},
                          {2, 84, 100, kWork, ""}},
                         {{0, 60, 1, 74}, {1, 70, 2, 82}},
                         {}},
  };
}

}  // namespace latecomer::patterns
