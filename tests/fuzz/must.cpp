// SPDX-License-Identifier: BSD-3-Clause
// The check that fuzz targets use.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {

void must(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace latecomer::fuzz
