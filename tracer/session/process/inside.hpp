// SPDX-License-Identifier: BSD-3-Clause
// Steps of the session that only tracer/session takes.
#pragma once

#include <cerrno>

#include "tracer/session/process/session.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::session {

// Reads settings and sets the timer; the first step in a process that records.
void begin();

// Keeps the writer of an ended thread for a new one. The mutex of the state is held.
void keep_for_others(SessionState& s, detail::ThreadInfo& thread);

// Moves the records of a thread to a file. The mutex of the state is held; the caller is the owner
// of the thread's writer, or the owner has ended.
void place(SessionState& s, detail::ThreadInfo& thread);

// File in memory for the ring of a thread; empty: there is none.
[[nodiscard]] std::string ring_path(std::uint32_t thread);

// Ends recording for good, in this process only.
void stop_recording();

// During a scope, records nothing on this thread and keeps errno.
class Inside {
 public:
  Inside()
      : errno_(errno),
        suspended_(detail::thread_state.suspended),
        current_(detail::thread_state.current) {
    detail::thread_state.suspended = true;
    detail::thread_state.current = nullptr;
  }
  ~Inside() {
    detail::thread_state.suspended = suspended_;
    detail::thread_state.current = current_;
    errno = errno_;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  int errno_;
  bool suspended_;
  // The writer stays valid unless the generation changes. Code that looks for a writer checks that.
  ThreadWriter* current_;
};

}  // namespace latecomer::session
