// SPDX-License-Identifier: BSD-3-Clause
// Notes that a filter met a region of the program that it excludes.
#pragma once

#include "archive/layout.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::user {

// Writes this once to the definition log. MT: any thread.
inline void note_filtered_region() {
  if (!process().user.said_filtered.test_and_set())
    session::define_property(layout::kLogFilteredRegion, "true");
}

}  // namespace latecomer::user
