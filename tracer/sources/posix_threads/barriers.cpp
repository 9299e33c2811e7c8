// SPDX-License-Identifier: BSD-3-Clause
// Barriers. No thread arrives for a round before all of the round before have arrived. So arrivals
// are counted, recorded or not, and the count says which threads belong together.
#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

using Object = WaitTable::Object;

bool is_shared(const pthread_barrierattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  return attributes != nullptr && pthread_barrierattr_getpshared(attributes, &shared) == 0 &&
         shared != PTHREAD_PROCESS_PRIVATE;
}

// A barrier that other processes use, too, has an unknown size. Rounds of a barrier that was at the
// same address before have lower numbers.
void set_size(Object& object, std::uint32_t size) {
  const std::uint32_t before = object.size.load(std::memory_order_relaxed);
  const std::uint32_t arrivals = object.number.load(std::memory_order_relaxed);
  const std::uint32_t rounds = before == 0 || arrivals == 0 ? 0 : (arrivals - 1) / before + 1;
  object.size.store(size, std::memory_order_relaxed);
  object.number.store(rounds * size, std::memory_order_relaxed);
}

template <typename Wait>
int wait_for_all(const Object* object, std::uint32_t round, const callpath::CallPlace& place,
                 Wait&& wait) {
  WaitingCall call(Call::k_pthread_barrier_wait, place);
  if (!call) return wait();
  const latecomer::session::Ticks t = latecomer::session::now();
  call.enter(t);
  if (object != nullptr) {
    const std::uint64_t word = record::two_halves(process().posix.objects.number(object), round);
    WaitingCall::writer()->extended(record::kRound, t, {&word, 1});
  }
  return call.inside(wait);
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_barrier_init(pthread_barrier_t* barrier,
                                            const pthread_barrierattr_t* attributes,
                                            unsigned count) noexcept {
  const int result = LATECOMER_NEXT(pthread_barrier_init)(barrier, attributes, count);
  if (result != 0) return result;
  WaitTable::Object* const object = object_at(barrier);
  if (object != nullptr) set_size(*object, is_shared(attributes) ? 0 : count);
  return result;
}

LATECOMER_REPLACED int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_barrier_wait)(barrier); };
  WaitTable::Object* const object =
      latecomer::process().posix.objects.find_known(reinterpret_cast<std::uintptr_t>(barrier));
  const std::uint32_t size = object == nullptr ? 0 : object->size.load(std::memory_order_relaxed);
  const std::uint32_t round = size == 0 ? 0 : object->number.fetch_add(1) / size;
  if (!is_recording() || size == 1)
    return unrecorded(Function::k_pthread_barrier_wait, this_place(), wait);
  return wait_for_all(size == 0 ? nullptr : object, round, this_place(), wait);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
