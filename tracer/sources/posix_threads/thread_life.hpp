// SPDX-License-Identifier: BSD-3-Clause
// Threads that the program makes, and waits for. A thread records its begin itself; its end is
// recorded when its storage is destroyed (session.cpp), however it ends.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <new>

#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {

// A thread needs this to begin, and deletes it.
struct Begin {
  std::uintptr_t function = 0;
  void* argument = nullptr;
  std::uint32_t number = 0;
  bool is_early = false;  // made before MPI_Init
};

// What a new thread was given; deletes the original.
inline Begin taken(void* argument) {
  const Begin begin = *static_cast<Begin*>(argument);
  delete static_cast<Begin*>(argument);
  return begin;
}

// Records that this thread has begun. A thread that was made before MPI_Init does so when it gets
// its writer.
void begin_thread(const Begin& begin);

// Remembers the number of a thread.
void note(pthread_t thread, std::uint32_t number);
// 0: unknown.
[[nodiscard]] std::uint32_t number_of(pthread_t thread);

inline bool is_before_mpi() {
  return process().session.phase.load(std::memory_order_relaxed) < session::detail::Phase::kRunning;
}

// A thread that ends before MPI_Init, however it ends, is none that could have records.
class EarlyEnd {
 public:
  EarlyEnd() = default;
  ~EarlyEnd() {
    if (is_before_mpi()) process().posix.early_threads.fetch_sub(1);
  }
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;
};

// For a thread of the program that is made before MPI_Init. Null for any other one; it is counted
// if the user does not want records of threads.
[[nodiscard]] Begin* early_begin(std::uintptr_t function, void* argument, std::uintptr_t caller);

// Makes a thread: `make()` as the program wants it, `make_recorded(begin)` with a function that
// calls begin_thread().
template <typename Make, typename MakeRecorded>
int create_thread(Call call_of, const pthread_t* thread, std::uintptr_t function, void* argument,
                  const callpath::CallPlace& place, Make&& make, MakeRecorded&& make_recorded) {
  if (!is_recording()) {
    Begin* const begin = early_begin(function, argument, place.caller - 1);
    if (begin == nullptr) return make();
    const std::uint32_t number = begin->number;  // the thread deletes it
    const int result = make_recorded(begin);
    if (result == 0) {
      note(*thread, number);
    } else {
      process().posix.early_threads.fetch_sub(1);
      delete begin;
    }
    return result;
  }
  WaitingCall call(call_of, place);
  Begin* const begin = call ? new (std::nothrow) Begin{function, argument, 0} : nullptr;
  if (begin == nullptr) return make();
  const std::uint32_t number = process().posix.threads.fetch_add(1) + 1;
  begin->number = number;
  const session::Ticks t = session::now();
  call.enter(t);
  const int result = call.inside([&] { return make_recorded(begin); });
  if (result != 0) {
    delete begin;
    return result;
  }
  note(*thread, number);
  if (ThreadWriter* const w = WaitingCall::writer(); w != nullptr) {
    const std::uint64_t word = number;
    w->extended(record::kThreadCreated, t, {&word, 1});
  }
  return result;
}

// Waits for the end of a thread.
template <typename Wait>
int join_thread(Call function, pthread_t thread, const callpath::CallPlace& place, Wait&& wait) {
  WaitingCall call(function, place);
  if (!call) return wait();
  const std::uint32_t number = number_of(thread);  // afterwards another thread may have the handle
  call.enter();
  const int result = call.inside(wait);
  if (result == 0 && number != 0) {
    if (ThreadWriter* const w = WaitingCall::writer(); w != nullptr) {
      const std::uint64_t word = number;
      w->extended(record::kThreadJoined, session::now(), {&word, 1});
    }
  }
  return result;
}

}  // namespace latecomer::posix
