// SPDX-License-Identifier: BSD-3-Clause
// Memory that a child finds wiped.
#include "tracer/state/blocked_calls.hpp"

#include <sys/mman.h>

#include <new>

namespace latecomer::blocking {

BlockedCalls* BlockedCalls::make() {
  void* const memory = mmap(nullptr, sizeof(BlockedCalls), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, sizeof(BlockedCalls), MADV_WIPEONFORK) != 0) {
    munmap(memory, sizeof(BlockedCalls));
    return nullptr;
  }
  auto* const calls = new (memory) BlockedCalls;
  calls->alive_.store(true, std::memory_order_relaxed);
  return calls;
}

void BlockedCalls::destroy(BlockedCalls* calls) {
  if (calls != nullptr) munmap(calls, sizeof(BlockedCalls));
}

}  // namespace latecomer::blocking
