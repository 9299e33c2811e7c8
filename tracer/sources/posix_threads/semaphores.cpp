// SPDX-License-Identifier: BSD-3-Clause
// Semaphores. sem_post() may be called in signal handlers. There it allocates nothing, takes no
// lock, and has a region without a place.
#include <cerrno>

#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/possible_times.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

using session::detail::thread_state;

// True if the thread has got the semaphore without waiting. Errors are left to the call that
// waits. A thread that was cancelled ends here, as in that call.
bool is_free(sem_t* semaphore) {
  pthread_testcancel();
  const int saved = errno;
  const bool got = LATECOMER_NEXT(sem_trywait)(semaphore) == 0;
  errno = saved;
  return got;
}

// A thread that waits defines the region of handlers that post.
void define_post() {
  std::atomic<RegionId>& region = process().posix.post_region;
  if (region.load(std::memory_order_relaxed) == 0)
    region.store(region_without_place(Call::k_sem_post));
}

template <typename Wait>
int wait_for_post(Call function, sem_t* semaphore, const callpath::CallPlace& place, Wait&& wait) {
  if (is_recording() && thread_state.current != nullptr) define_post();
  return wait_for_other(function, semaphore, place, wait, 0);
}

// The writer, if a call in a signal handler may be recorded now.
ThreadWriter* poster() {
  ThreadWriter* const w = thread_state.current;
  const bool is_current =
      thread_state.seen == process().session.generation.load(std::memory_order_relaxed);
  return is_recording() && w != nullptr && is_current && w->can_go_on() ? w : nullptr;
}

int post_in_handler(sem_t* semaphore, const callpath::CallPlace& place) {
  WaitTable& objects = process().posix.objects;
  WaitTable::Object* const object = objects.find_known(reinterpret_cast<std::uintptr_t>(semaphore));
  if (object == nullptr || object->waiting.load(std::memory_order_relaxed) == 0) {
    return LATECOMER_NEXT(sem_post)(semaphore);
  }
  const std::uint32_t number = object->number.fetch_add(1);
  const RegionId region = process().posix.post_region.load(std::memory_order_relaxed);
  ThreadWriter* const w = must_pass(place.caller - 1) || region == 0 ? nullptr : poster();
  if (w != nullptr) {
    const session::Ticks t = session::now();
    w->enter(region, t);
    const std::uint64_t word = record::two_halves(objects.number(object), number);
    w->extended(record::kWakes, t, {&word, 1});
  }
  const int result = LATECOMER_NEXT(sem_post)(semaphore);
  if (w != nullptr) w->leave(region, session::now());
  return result;
}

[[gnu::noinline]] int post_watched(sem_t* semaphore, const callpath::CallPlace& place) {
  if (is_in_handler(place)) return post_in_handler(semaphore, place);
  return wake_up(Call::k_sem_post, semaphore, place,
                 [=] { return LATECOMER_NEXT(sem_post)(semaphore); });
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int sem_wait(sem_t* semaphore) {
  const auto wait = [=] { return LATECOMER_NEXT(sem_wait)(semaphore); };
  if (!is_recording()) return unrecorded(Function::k_sem_wait, this_place(), wait);
  if (is_free(semaphore)) return 0;
  return wait_for_post(Call::k_sem_wait, semaphore, this_place(), wait);
}

LATECOMER_REPLACED int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(sem_timedwait)(semaphore, until); };
  if (!is_recording() || !is_possible(until))
    return unrecorded(Function::k_sem_timedwait, this_place(), wait);
  if (is_free(semaphore)) return 0;
  return wait_for_post(Call::k_sem_timedwait, semaphore, this_place(), wait);
}

LATECOMER_REPLACED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(sem_clockwait)(semaphore, clock, until); };
  if (!is_recording() || !is_possible(clock, until))
    return unrecorded(Function::k_sem_clockwait, this_place(), wait);
  if (is_free(semaphore)) return 0;
  return wait_for_post(Call::k_sem_clockwait, semaphore, this_place(), wait);
}

LATECOMER_REPLACED int sem_post(sem_t* semaphore) noexcept {
  if (!is_watched(semaphore)) [[likely]]
    return LATECOMER_NEXT(sem_post)(semaphore);
  return post_watched(semaphore, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
