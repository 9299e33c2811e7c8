// SPDX-License-Identifier: BSD-3-Clause
// Small reports as the analyzer writes them, with waits chosen by hand.
#pragma once

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::test {

struct ExampleReport {
  report::Definitions definitions;
  report::Severities severities;
};

// heat: 4 ranks on 2 nodes. Late Sender 5 s in two call paths, Wait at Barrier 2 s.
[[nodiscard]] ExampleReport heat();
// heat, changed: rank 0 relaxes 4 s longer, for which the others wait 3 s at the barrier (delay
// costs). Late Sender in MPI_Recv is 1 s less.
[[nodiscard]] ExampleReport heat_changed();
// The same two with 100 samples per second in functions relax and norm. Of the change of relax 1 s
// is blocked.
[[nodiscard]] ExampleReport heat_sampled();
[[nodiscard]] ExampleReport heat_sampled_changed();
// coupled: 6 ranks with 2 threads each on metahosts bonn and jülich, notes, a partial result.
[[nodiscard]] ExampleReport coupled();
// quiet: 1 rank, so there is no waiting.
[[nodiscard]] ExampleReport quiet();
// threaded: 1 rank with 2 threads. Thread 1 computes 4 s longer in a loop, so thread 0 waits;
// thread 1 idles for 1 s.
[[nodiscard]] ExampleReport threaded();
// stencil on p ranks, with known laws per rank: relax takes 64 s / p, MPI_Waitall 0.5 s, setup 0.25
// s and MPI_Allreduce 2 ms times p log2 p.
[[nodiscard]] ExampleReport stencil(std::uint32_t ranks);

}  // namespace latecomer::test
