// SPDX-License-Identifier: BSD-3-Clause
// Finds out which file a descriptor is.
#pragma once

#include <cstdint>

#include "tracer/record/writer.hpp"
#include "tracer/state/file_state.hpp"

namespace latecomer::files {

// How a descriptor came to be.
struct Opened {
  int descriptor = -1;
  bool is_stream = false;
  bool was_open = false;       // it was opened before, or by a function that is not replaced
  const char* path = nullptr;  // as given to open(); null: unknown
  int flags = 0;               // of open(), unless it was open
};

// Gives the descriptor an id and records what it is. Returns the id, Descriptor::kLeftOut or
// kTooMany. Only system calls are made, so this is possible in a signal handler. Changes no errno.
//
// Regular files, directories and devices are named by their path. Other things are named by their
// kind: stdin, stdout, stderr, terminal, pipe. Sockets and what the kernel makes of no file (such
// as eventfd) are left out: they have partners, not contents.
std::uint32_t describe(record::ThreadWriter& w, Descriptor& d, const Opened& how);

}  // namespace latecomer::files
