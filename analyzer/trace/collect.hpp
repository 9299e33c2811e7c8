// SPDX-License-Identifier: BSD-3-Clause
// One experiment of the parts that a run without a common file system has left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::trace {

struct Collected {
  std::size_t ranks = 0;
  bool records = false;  // not an archive yet: `latecomer repair` makes it
};

// Makes the experiment `target` of the directories `parts`: an archive of their archives, as a
// common file system would have held it, or, where a run did not get to its archive, the records of
// all. Nothing is merged, files are copied. On a Problem nothing is left of `target`.
// Problems: the target exists; not parts, or of different runs; events of the same rank in two of
// them; ranks whose part is missing; no room.
[[nodiscard]] Result<Collected> collect(const std::vector<std::filesystem::path>& parts,
                                        const std::filesystem::path& target);

}  // namespace latecomer::trace
