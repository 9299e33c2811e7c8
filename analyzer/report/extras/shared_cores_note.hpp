// SPDX-License-Identifier: BSD-3-Clause
// The note on ranks and threads that share cores, in the same words for traced and watched runs.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/report/extras/extras.hpp"

namespace latecomer::report {

// `where`: which machine it is, if there are several.
[[nodiscard]] inline QualityNote shared_cores_note(std::int64_t ranks, std::int64_t threads,
                                                   std::int64_t cores,
                                                   const std::string& where = "") {
  const auto counted = [](std::int64_t n, const std::string& noun) {
    return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s");
  };
  return {"shared_cores",
          threads,
          (threads > ranks ? "threads of " + counted(ranks, "rank") : std::string("ranks")) +
              (threads == 1 ? " shares " : " share ") + counted(cores, "core") + where +
              ": times are not representative, ranks also wait for a core",
          false,
          {}};
}

}  // namespace latecomer::report
