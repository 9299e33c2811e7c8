// SPDX-License-Identifier: BSD-3-Clause
// What the file of one thread says about its present: words of the header, and the last records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/record/format.hpp"
#include "tracer/record/live_state.hpp"

namespace latecomer::stuck {

// A thread, as its file was at one moment. Nothing in it is to be trusted: the file may be damaged.
struct ThreadView {
  std::uint32_t number = 0;
  record::LocationKind kind = record::LocationKind::kThread;
  bool has_words = false;  // the thread made a call that may wait, and its words belong together
  record::PendingCall call;
  record::HeldLocks locks;
  // Number of collective operations by the id of the communicator on this process.
  std::vector<std::uint32_t> operations;
  // From the last records, if there are any.
  std::uint64_t last_ticks = 0;
  std::vector<std::uint32_t> open;  // regions, outermost first
  std::uint32_t last_left = record::kNoRegion;
  std::uint32_t last_frame = 0;  // call path of the last calls
  // Begin of the row of unsuccessful polls at the end; 0: there is none.
  std::uint64_t polls_since = 0;
  bool ended = false;  // the program ended here
  bool damaged = false;
  // Anything that changes when the thread does something. Polls that complete nothing do not count.
  std::uint64_t progress = 0;
};

// Reads a file without disturbing the process that writes it, and without mapping it, as that
// process may cut it. A file that changes too fast is read as it is.
[[nodiscard]] Result<ThreadView> read_thread(const std::string& path);

}  // namespace latecomer::stuck
