// SPDX-License-Identifier: BSD-3-Clause
// Threads that the program makes, and waits for. A thread records its begin itself; its end is
// recorded when its storage is destroyed (session.cpp), however it ends.
#include <exception>
#include <mutex>
#include <new>
#include <unordered_map>

#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {

// Numbers of threads. The C library uses handles of ended threads again, so the highest number
// counts. A handle stays here until then.
struct ThreadHandles {
  std::mutex mutex;
  std::unordered_map<pthread_t, std::uint32_t> numbers;
};

namespace {

// A thread needs this to begin, and deletes it.
struct Begin {
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  std::uint32_t number = 0;
};

void note(pthread_t thread, std::uint32_t number) {
  try {
    ThreadHandles& handles = process().posix.handles.get();
    const std::lock_guard lock(handles.mutex);
    std::uint32_t& known = handles.numbers[thread];
    if (known < number) known = number;
  } catch (const std::exception&) {
    // Out of memory: who joins the thread will not know which one it is.
  }
}

// 0: unknown.
std::uint32_t number_of(pthread_t thread) {
  if (process().posix.threads.load() == 0) return 0;
  ThreadHandles& handles = process().posix.handles.get();
  const std::lock_guard lock(handles.mutex);
  const auto known = handles.numbers.find(thread);
  return known == handles.numbers.end() ? 0 : known->second;
}

void record_begin(const Begin& begin) {
  if (!is_recording()) return;
  PosixState& posix = process().posix;
  const auto function = reinterpret_cast<std::uintptr_t>(begin.function);
  std::atomic<std::uint32_t>& short_threads =
      posix.short_threads[(spread(function) >> 32) % posix.short_threads.size()];
  session::detail::thread_state.is_short = short_threads.load() >= PosixState::kMany;
  ThreadWriter* const w = session::writer();
  if (w == nullptr || w->paused()) return;
  {
    const session::Suspend inside(w);
    note(pthread_self(), begin.number);
    session::detail::ThreadState& t = session::detail::thread_state;
    t.info->first_frame = 0;
    if (t.paths != nullptr) {
      t.info->first_frame = process().session.frames->path_of_thread(function);
    }
    t.info->begun = begin.number;
    t.info->begun_at = session::clock_nanoseconds(CLOCK_MONOTONIC);
    t.info->short_threads = &short_threads;
    w->call_path(t.info->first_frame);
  }
  const std::uint64_t word = begin.number;
  w->extended(record::kThreadBegun, session::now(), {&word, 1});
}

// The function with which recorded threads begin.
[[gnu::section("latecomer_pass")]] void* run_thread(void* argument) {
  const Begin begin = *static_cast<Begin*>(argument);
  delete static_cast<Begin*>(argument);
  record_begin(begin);
  return begin.function(begin.argument);
}

template <typename Wait>
int join(Call function, pthread_t thread, const callpath::CallPlace& place, Wait&& wait) {
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

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                      void* (*function)(void*), void* argument) noexcept {
  auto* const real = LATECOMER_NEXT(pthread_create);
  if (!is_recording()) return real(thread, attributes, function, argument);
  WaitingCall call(Call::k_pthread_create, this_place());
  Begin* const begin = call ? new (std::nothrow) Begin{function, argument, 0} : nullptr;
  if (begin == nullptr) return real(thread, attributes, function, argument);
  const std::uint32_t number = latecomer::process().posix.threads.fetch_add(1) + 1;
  begin->number = number;
  const latecomer::session::Ticks t = latecomer::session::now();
  call.enter(t);
  const int result = call.inside([&] { return real(thread, attributes, run_thread, begin); });
  if (result != 0) {
    delete begin;
    return result;
  }
  note(*thread, number);
  if (ThreadWriter* const w = WaitingCall::writer(); w != nullptr) {
    const std::uint64_t word = number;
    w->extended(latecomer::record::kThreadCreated, t, {&word, 1});
  }
  return result;
}

LATECOMER_REPLACED int pthread_join(pthread_t thread, void** result) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_join)(thread, result); };
  if (!is_recording()) return wait();
  return join(Call::k_pthread_join, thread, this_place(), wait);
}

LATECOMER_REPLACED int pthread_timedjoin_np(pthread_t thread, void** result,
                                            const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_timedjoin_np)(thread, result, until); };
  if (!is_recording()) return wait();
  return join(Call::k_pthread_timedjoin_np, thread, this_place(), wait);
}

LATECOMER_REPLACED int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                            const timespec* until) {
  const auto wait = [=] {
    return LATECOMER_NEXT(pthread_clockjoin_np)(thread, result, clock, until);
  };
  if (!is_recording()) return wait();
  return join(Call::k_pthread_clockjoin_np, thread, this_place(), wait);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
