// SPDX-License-Identifier: BSD-3-Clause
// Makes one experiment from the parts that a run without a common file system left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::trace {

// Description of the new experiment.
struct Collected {
  std::size_t ranks = 0;
  bool records = false;  // not an archive yet; `latecomer repair` makes it
};

// Makes the experiment `target` from the directories `parts`. If all have archives, the result is
// the archive that a common file system would have held. If the run did not get that far, it is the
// records of all. Files are copied and not merged. On a Problem nothing is left of `target`.
//
// Problems: the target exists; the directories are not parts, or of different runs; two of them
// have events of the same rank; the part of some ranks is missing; the disk is full.
[[nodiscard]] Result<Collected> collect(const std::vector<std::filesystem::path>& parts,
                                        const std::filesystem::path& target);

}  // namespace latecomer::trace
