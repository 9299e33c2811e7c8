// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of an agent about a run: from the records and logs that it follows.
#pragma once

#include <memory>

#include "tracer/watch/gather/gathering.hpp"
#include "tracer/watch/live/run_follower.hpp"

namespace latecomer::watch {

// `run` must outlive the result.
[[nodiscard]] std::unique_ptr<GatherRun> followed_run(RunFollower& run);

}  // namespace latecomer::watch
