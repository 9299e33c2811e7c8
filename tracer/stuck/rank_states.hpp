// SPDX-License-Identifier: BSD-3-Clause
// Names and world ranks for what the files say: from a view of a run to the states of its ranks.
#pragma once

#include <vector>

#include "tracer/stuck/rank_view.hpp"
#include "tracer/stuck/standstill.hpp"

namespace latecomer::stuck {

// States of all ranks, also of those without files. `moved` are the ranks of `run.ranks` that did
// something while they were observed. Looks up names in the files of the program.
[[nodiscard]] std::vector<RankState> describe(RunView& run, const std::vector<bool>& moved);

}  // namespace latecomer::stuck
