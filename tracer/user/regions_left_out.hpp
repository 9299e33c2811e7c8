// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "archive/layout.hpp"
#include "tracer/session/session.hpp"

namespace latecomer::user {

// A filter has left out a region of the program: said once in the definition log. MT: any thread.
inline void note_region_left_out() {
  static std::atomic_flag said;
  if (!said.test_and_set()) session::define_property(layout::kLogRegionsLeftOut, "true");
}

}  // namespace latecomer::user
