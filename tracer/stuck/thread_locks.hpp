// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that wait for locks of each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::stuck {

// A thread that wants or holds locks. A lock is the address of the program's variable.
struct LockThread {
  std::uint32_t number = 0;
  std::uint64_t wanted = 0;  // 0: none
  std::vector<std::uint64_t> held;
  // What it is in, for the reader: "pthread_mutex_lock (main > work (queue.c:40))", or "MPI_Recv
  // from 1 (a.c:7)"; empty: nothing that is recorded.
  std::string call;
};

struct LockWaits {
  struct Sentence {
    bool is_circle = false;  // nobody can go on
    std::string text;        // "threads 1 and 2 wait for locks of each other: ..."
  };
  std::vector<Sentence> sentences;
  std::vector<std::uint32_t> stuck;  // numbers of threads that wait for a circle, or are in one
};

// A lock with several holders, such as one for reading, is waited for in all of them. Only the
// first one is looked at, so such a circle may be missed, but none is made up.
[[nodiscard]] LockWaits find_lock_waits(const std::vector<LockThread>& threads);

}  // namespace latecomer::stuck
