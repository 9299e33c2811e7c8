// SPDX-License-Identifier: BSD-3-Clause
// Whether a filter that is to leave out regions of the program met any of them.
#pragma once

#include <atomic>

#include "archive/layout.hpp"
#include "tracer/session/session.hpp"

namespace latecomer::user {

// A region of the program that a filter names: said once in the definition log. MT: any thread.
inline void note_filtered_region() {
  static std::atomic_flag said;
  if (!said.test_and_set()) session::define_property(layout::kLogFilteredRegion, "true");
}

}  // namespace latecomer::user
