// SPDX-License-Identifier: BSD-3-Clause
// What a runtime with OMPT calls on the threads of the program.
#pragma once

#include <cstdint>

#include "tracer/record/arguments.hpp"
#include "tracer/sources/openmp/ompt_interface.hpp"

namespace latecomer::openmp::ompt {

// All return before the program goes on. `return_address` is null where the runtime does not know
// it.
void parallel_begin(Data* task, const void* frame, Data* parallel, unsigned threads, int flags,
                    const void* return_address);
void parallel_end(Data* parallel, Data* task, int flags, const void* return_address);
void implicit_task(Scope scope, Data* parallel, Data* task, unsigned threads, unsigned index,
                   int flags);
void task_create(Data* task, const void* frame, Data* created, int flags, int dependences,
                 const void* return_address);
void task_schedule(Data* prior, Status status, Data* next);
void sync_region(Sync kind, Scope scope, Data* parallel, Data* task, const void* return_address);
void work(Work kind, Scope scope, Data* parallel, Data* task, std::uint64_t count,
          const void* return_address);
void mutex_acquire(Mutex kind, unsigned hint, unsigned implementation, std::uint64_t lock,
                   const void* return_address);
void mutex_acquired(Mutex kind, std::uint64_t lock, const void* return_address);
void mutex_released(Mutex kind, std::uint64_t lock, const void* return_address);

// Addresses of the runtime's code, if it is a library.
void set_runtime(std::uintptr_t begin, std::uintptr_t end);

// Whether this thread is in a team that such a runtime reports, and the call path of what it does
// there.
[[nodiscard]] bool in_recorded_team();
[[nodiscard]] record::FrameId team_path();

}  // namespace latecomer::openmp::ompt
