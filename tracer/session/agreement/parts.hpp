// SPDX-License-Identifier: BSD-3-Clause
// Agrees on where the processes of a run write: one experiment directory, or one per metahost if
// there is no common file system.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/exchange/group.hpp"
#include "tracer/session/agreement/directory.hpp"
#include "tracer/session/clocks/clock_plan.hpp"

namespace latecomer::session {

struct DirectoryWish {
  std::string name;       // of the setting; empty: none
  std::string otherwise;  // the name without a setting
  Rules rules;
};

// A part of the experiment: the directory that this process sees.
struct Part {
  std::string directory;
  int maker = 0;            // rank that made it, the first of this part
  int parts = 1;            // how many there are
  std::uint64_t token = 0;  // random number of the run
};

// Rank 0 makes the directory; the first process of each further metahost looks whether it sees one
// that was made before and else makes one of the same name; then every process looks. If one sees
// none, all get the same Problem, which names metahosts and ranks, and nothing stays behind.
//
// The last part of the path is rank 0's for all. What is before it comes from the metahost's own
// setting, from rank 0's if it has none, from the current directory if nobody has one.
//
// `where` holds the place of each rank on all processes; `names` of metahosts are used on rank 0,
// empty where there is only one without a name. Collective.
[[nodiscard]] Result<Part> agree_on_directory(exchange::Group& group, std::span<const Place> where,
                                              std::span<const std::string> names,
                                              const DirectoryWish& wish);

}  // namespace latecomer::session
