// SPDX-License-Identifier: BSD-3-Clause
// Report of each process to rank 0 at the end about what it did not record. Independent of MPI.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracer/record/writer.hpp"

namespace latecomer::session {

// The report, which travels with the log of the process.
struct LastWord {
  record::Losses losses;
  std::uint64_t visits = 0;   // number of visits of the region of --iterations
  bool found_region = false;  // that region was called
  bool was_full = false;      // the records had reached their share of --max-size
  bool never_began = false;   // the program ended before the window of --from
};

// Lines to the user: what is not in the trace and why. `everybody` has the reports by rank;
// `directory` is the experiment's.
[[nodiscard]] std::vector<std::string> lines_about(std::span<const LastWord> everybody,
                                                   const std::string& directory);

// Reason for lost records if neither the disk nor memory was the cause.
inline constexpr const char* kLostInSignals =
    "calls in signal handlers that interrupted the recording of another call";

}  // namespace latecomer::session
