// SPDX-License-Identifier: BSD-3-Clause
// Waits for something that another thread does: signals of a condition, and the like. Who waits
// reads the number of the last record of such a kind when it goes on:
//
//   thread 0                 thread 1                  number
//                            begin: reads 4            4
//   kWakes 4, wakes                                    5
//                            end: reads 5, kWoken 4
//
// If several threads wait, a signal for another one may come between the two, and is then taken for
// the own one. It is later by less than the time that a thread needs to wake up.
#pragma once

#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {

// A thread waits for an object during the lifetime, which ends also if the thread is cancelled.
class Waiting {
 public:
  explicit Waiting(WaitTable::Object& object)
      : object_(object), seen_(object.number.load(std::memory_order_relaxed)) {
    object_.waiting.fetch_add(1);
    process().posix.objects.watch(object_.address.load(std::memory_order_relaxed));
  }
  ~Waiting() {
    object_.waiting.fetch_sub(1);
    process().posix.objects.unwatch(object_.address.load(std::memory_order_relaxed));
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // The thread goes on, since another one has let it. `writer` may be null.
  void record_woken(ThreadWriter* writer, session::Ticks t) const {
    const std::uint32_t number = object_.number.load(std::memory_order_relaxed);
    if (writer == nullptr || number == seen_) return;
    const std::uint64_t word =
        record::two_halves(process().posix.objects.number(&object_), number - 1);
    writer->extended(record::kWoken, t, {&word, 1});
  }

 private:
  WaitTable::Object& object_;
  const std::uint32_t seen_;
};

// The object that threads wait for; null, and counted, if there is no room for another one.
[[nodiscard]] inline WaitTable::Object* object_at(const void* address) {
  WaitTable::Object* const object =
      process().posix.objects.find(reinterpret_cast<std::uintptr_t>(address));
  if (object == nullptr) process().posix.without_room.fetch_add(1, std::memory_order_relaxed);
  return object;
}

[[gnu::always_inline]] inline bool is_watched(const void* address) {
  return process().posix.objects.is_watched(reinterpret_cast<std::uintptr_t>(address));
}

// Calls `wait`, with records. `done` is its result if another thread has let this one go on.
template <typename Wait>
[[gnu::noinline]] int wait_for_other(Call function, const void* address,
                                     const callpath::CallPlace& place, Wait&& wait, int done) {
  WaitingCall call(function, place);
  WaitTable::Object* const object = call ? object_at(address) : nullptr;
  if (object == nullptr) return wait();
  call.enter();
  const Waiting waiting(*object);
  const int result = call.inside(wait);
  if (result == done) waiting.record_woken(WaitingCall::writer(), session::now());
  return result;
}

// Calls `wake`, with a record if threads wait for the object.
template <typename Wake>
int wake_up(Call function, const void* address, const callpath::CallPlace& place, Wake&& wake) {
  WaitTable& objects = process().posix.objects;
  WaitTable::Object* const object = objects.find_known(reinterpret_cast<std::uintptr_t>(address));
  if (object == nullptr || object->waiting.load(std::memory_order_relaxed) == 0) return wake();
  WaitingCall call(function, place);
  const std::uint32_t number = object->number.fetch_add(1);
  if (call) {
    const session::Ticks t = session::now();
    call.enter(t);
    const std::uint64_t word = record::two_halves(objects.number(object), number);
    call.recorder()->extended(record::kWakes, t, {&word, 1});
  }
  return wake();
}

}  // namespace latecomer::posix
