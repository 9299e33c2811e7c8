// SPDX-License-Identifier: BSD-3-Clause
// Which regions organize threads, as far as wait states look at them.
#pragma once

#include <cstdint>
#include <string_view>

namespace latecomer::patterns {

enum class ThreadConstruct : std::uint8_t {
  kNone,
  kParallel,         // a team of threads works
  kBarrier,          // written in the program
  kImplicitBarrier,  // at the end of a loop, of a parallel region, ...
  kCritical,         // one thread at a time
  kLockApi,          // omp_set_lock and the like
  kMutex,            // pthread_mutex_lock and the like
  kCondition,        // pthread_cond_wait and the like
};

// `paradigm` and `role` as CUBE calls them.
[[nodiscard]] ThreadConstruct thread_construct(std::string_view name, std::string_view paradigm,
                                               std::string_view role);

}  // namespace latecomer::patterns
