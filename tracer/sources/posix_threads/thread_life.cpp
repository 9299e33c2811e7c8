// SPDX-License-Identifier: BSD-3-Clause
// Numbers of threads, and their begins.
#include "tracer/sources/posix_threads/thread_life.hpp"

#include <exception>
#include <mutex>
#include <unordered_map>

#include "tracer/sources/posix_threads/thread_functions.hpp"

namespace latecomer::posix {

// Numbers of threads. The C library uses handles of ended threads again, so the highest number
// counts. A handle stays here until then.
struct ThreadHandles {
  std::mutex mutex;
  std::unordered_map<pthread_t, std::uint32_t> numbers;
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

std::uint32_t number_of(pthread_t thread) {
  if (process().posix.threads.load() == 0) return 0;
  ThreadHandles& handles = process().posix.handles.get();
  const std::lock_guard lock(handles.mutex);
  const auto known = handles.numbers.find(thread);
  return known == handles.numbers.end() ? 0 : known->second;
}

namespace {

// Records that this thread has begun. `w` is its writer.
void record_begin(ThreadWriter& w, std::uintptr_t function, std::uint32_t number,
                  std::atomic<std::uint32_t>* short_threads) {
  {
    const session::Suspend inside(&w);
    note(pthread_self(), number);
    session::detail::ThreadState& t = session::detail::thread_state;
    t.info->first_frame = 0;
    if (t.paths != nullptr) {
      t.info->first_frame = process().session.frames->path_of_thread(function);
    }
    t.info->begun = number;
    t.info->begun_at = session::clock_nanoseconds(CLOCK_MONOTONIC);
    t.info->short_threads = short_threads;
    w.call_path(t.info->first_frame);
  }
  const std::uint64_t word = number;
  w.extended(record::kThreadBegun, session::now(), {&word, 1});
}

// The same for a thread that was made before MPI_Init, when it gets its writer. Nobody has recorded
// that it was made.
void record_early_begin(ThreadWriter& w) {
  const session::detail::ThreadState& t = session::detail::thread_state;
  if (!process().posix.is_recorded.load() || w.paused()) return;
  process().posix.recorded_early_threads.fetch_add(1);
  record_begin(w, t.early_function, t.early_number, nullptr);
}

}  // namespace

void begin_thread(const Begin& begin) {
  const std::uintptr_t function = begin.function;
  session::detail::ThreadState& t = session::detail::thread_state;
  if (!is_recording()) {
    t.early_number = begin.number;
    t.early_function = function;
    t.record_early_begin = record_early_begin;
    return;
  }
  PosixState& posix = process().posix;
  std::atomic<std::uint32_t>& short_threads =
      posix.short_threads[(spread(function) >> 32) % posix.short_threads.size()];
  t.is_short = short_threads.load() >= PosixState::kMany;
  ThreadWriter* const w = session::writer();
  if (w == nullptr || w->paused()) return;
  if (begin.is_early) posix.recorded_early_threads.fetch_add(1);  // MPI_Init came in between
  record_begin(*w, function, begin.number, &short_threads);
}

Begin* early_begin(std::uintptr_t function, void* argument, std::uintptr_t caller) {
  if (session::detail::thread_state.suspended) return nullptr;
  PosixState& posix = process().posix;
  if (!is_before_mpi()) {
    if (!posix.is_recorded.load() && !session::over()) posix.made_while_off.fetch_add(1);
    return nullptr;
  }
  if (must_pass(caller) || !is_of_program(caller)) return nullptr;
  posix.early_threads.fetch_add(1);
  return new (std::nothrow) Begin{function, argument, posix.threads.fetch_add(1) + 1, true};
}

namespace {

// The functions with which recorded threads begin. The first one ends with a jump, so it is not on
// the stack of the thread.
[[gnu::section("latecomer_pass")]] void* run_thread(void* argument) {
  const Begin begin = taken(argument);
  begin_thread(begin);
  return reinterpret_cast<void* (*)(void*)>(begin.function)(begin.argument);
}
[[gnu::section("latecomer_pass")]] void* run_early_thread(void* argument) {
  const Begin begin = taken(argument);
  const EarlyEnd end;
  begin_thread(begin);
  return reinterpret_cast<void* (*)(void*)>(begin.function)(begin.argument);
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                      void* (*function)(void*), void* argument) noexcept {
  auto* const real = LATECOMER_NEXT(pthread_create);
  return create_thread(
      Call::k_pthread_create, thread, reinterpret_cast<std::uintptr_t>(function), argument,
      this_place(), [=] { return real(thread, attributes, function, argument); },
      [=](Begin* begin) {
        return real(thread, attributes, begin->is_early ? run_early_thread : run_thread, begin);
      });
}

LATECOMER_REPLACED int pthread_join(pthread_t thread, void** result) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_join)(thread, result); };
  if (!is_recording()) return unrecorded(Function::k_pthread_join, this_place(), wait);
  return join_thread(Call::k_pthread_join, thread, this_place(), wait);
}

LATECOMER_REPLACED int pthread_timedjoin_np(pthread_t thread, void** result,
                                            const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_timedjoin_np)(thread, result, until); };
  if (!is_recording()) return wait();
  return join_thread(Call::k_pthread_timedjoin_np, thread, this_place(), wait);
}

LATECOMER_REPLACED int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                            const timespec* until) {
  const auto wait = [=] {
    return LATECOMER_NEXT(pthread_clockjoin_np)(thread, result, clock, until);
  };
  if (!is_recording()) return wait();
  return join_thread(Call::k_pthread_clockjoin_np, thread, this_place(), wait);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
