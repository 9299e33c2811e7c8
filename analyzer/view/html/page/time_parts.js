// SPDX-License-Identifier: BSD-3-Clause
// The parts of the time of all processes, which add up to all of it.

// Returns rows [kind, name, seconds, explanation].
export function timeParts({seconds, wait_states: waits = []}) {
  const known = "computation" in seconds;
  const work = seconds.computation ?? seconds.outside_mpi ?? 0, mpi = seconds.mpi ?? 0,
        waiting = seconds.waiting ?? 0;
  const measuring = seconds.overhead ?? 0, off = seconds.unrecorded ?? 0;
  // Waiting in MPI_Finalize counts as waiting.
  const waitingAtEnd = waits.find((wait) => wait.metric === "mpi_finalize_wait")?.seconds ?? 0;
  const ends = (seconds.init_finalize ?? 0) - waitingAtEnd;
  return [
    ["comp", known ? "Computation" : "Outside MPI", work, "the program's own work"],
    ["wait", "Waiting in MPI", waiting, "another process came late"],
    [
      "init", "MPI start and end", ends,
      "MPI_Init and MPI_Finalize without waiting; matters in short runs only"
    ],
    ["mpi", "Other MPI", mpi - waiting - ends, "transfer, and what else MPI does"],
    ["over", "Measurement", measuring, "not the program's own time"],
    ["off", "Not recorded", off, "recording was switched off"],
    [
      "rest", known ? "Threads" : "Other", (seconds.time ?? 0) - work - mpi - measuring - off,
      "organizing threads, and threads without work"
    ],
  ];
}
