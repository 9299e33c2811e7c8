// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a call is recorded, and writes its records.
#include "tracer/sources/files/file_call.hpp"

#include <array>

#include "tracer/callpath/stack.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/sources/files/descriptors.hpp"

// Begin and end of the measurement library in memory, from the linker.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start;
extern "C" [[gnu::visibility("hidden")]] const char _end;

namespace latecomer::files {
namespace detail {
namespace {

using session::detail::FileCalls;
using session::detail::thread_state;
using session::detail::ThreadState;

bool is_in_this_library(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(&_end);
}

// True unless a signal handler makes the call, which may have interrupted malloc(). Stacks other
// than the thread's own may be those of handlers.
[[gnu::noinline, gnu::cold]] bool may_allocate(const callpath::CallPlace& place) {
  session::detail::ThreadPaths* const paths = thread_state.info->paths.get();
  if (paths == nullptr || !paths->own.contains(place.slot)) return false;
  const session::Inside inside;  // Suspend would forget what the kernel did before this call
  callpath::unwind(place, paths->own, paths->stack);
  return !paths->stack.in_handler;
}

}  // namespace

[[gnu::noinline]] ThreadWriter* checked(ThreadWriter* w, const callpath::CallPlace& place,
                                        bool samples) {
  // The library stores chunks of records while it is in a record. A signal handler may come then,
  // too.
  if (!w->can_go_on() || is_in_this_library(place.caller)) return nullptr;
  const ThreadState& t = thread_state;
  samples = samples && session::detail::has_samples(t);
  // Paths in the cache were found outside of signal handlers.
  const bool is_known =
      t.paths != nullptr ? t.paths->find(place) != callpath::PathCache::kUnknown : !samples;
  if (!is_known && !may_allocate(place)) {
    if (t.paths == nullptr) return w;  // the samples are lost
    FileCalls::count(t.info->file_calls.left_out);
    return nullptr;
  }
  if (samples) session::detail::take_samples(w);
  return w;
}

}  // namespace detail

std::uint32_t id_of(ThreadWriter& w, int descriptor, bool is_stream) {
  Descriptor* const d = process().files.table.load(std::memory_order_relaxed)->find(descriptor);
  if (descriptor < 0) return Descriptor::kLeftOut;
  const std::uint32_t id = d == nullptr ? kTooMany : d->id.load(std::memory_order_relaxed);
  if (id != Descriptor::kUnknown) [[likely]]
    return id;
  // A child of vfork() may have replaced the descriptor for itself.
  if (!process().files.table.load(std::memory_order_relaxed)->is_of_this_process()) {
    return Descriptor::kLeftOut;
  }
  return describe(w, *d, {descriptor, is_stream, true, nullptr, 0});
}

void begin_call(ThreadWriter& w, FileFunction function) {
  const KeepErrno keep;
  w.enter(region_of(function), session::now());
}

void operated(ThreadWriter& w, std::uint32_t id, Mode mode, std::uint64_t asked,
              std::int64_t result, Ticks t) {
  if (!is_recorded(id)) {
    session::detail::FileCalls::count(session::detail::thread_state.info->file_calls.left_out);
    return;
  }
  const std::array<std::uint64_t, 3> words = {
      id | static_cast<std::uint64_t>(mode) << 32 | std::uint64_t{w.thread()} << 40, asked,
      result < 0 ? 0 : static_cast<std::uint64_t>(result)};
  w.extended(record::kFileOperated, t, words);
}

void end_call(ThreadWriter& w, FileFunction function, std::uint32_t id, Mode mode,
              std::uint64_t asked, std::int64_t result) {
  const KeepErrno keep;
  const Ticks t = session::now();
  operated(w, id, mode, asked, result, t);
  w.leave(region_of(function), t);
}

void end_call(ThreadWriter& w, FileFunction function) {
  const KeepErrno keep;
  w.leave(region_of(function), session::now());
}

namespace {

DescriptorTable* usable_table() {
  DescriptorTable* const table = process().files.table.load(std::memory_order_relaxed);
  return table != nullptr && table->is_alive() ? table : nullptr;
}

std::uint32_t forget(Descriptor& d) {
  const std::uint32_t id = d.id.exchange(Descriptor::kUnknown, std::memory_order_relaxed);
  d.last_id.store(Descriptor::kUnknown, std::memory_order_relaxed);
  return id;
}

}  // namespace

void end_opening(ThreadWriter& w, FileFunction function, int descriptor, bool is_stream,
                 const char* path, int flags) {
  const KeepErrno keep;
  const Ticks t = session::now();
  DescriptorTable* const table = process().files.table.load(std::memory_order_relaxed);
  Descriptor* const d = table->find(descriptor);
  if (d != nullptr && table->is_of_this_process()) {
    // Something that was closed unseen had the number.
    if (d->id.load(std::memory_order_relaxed) != Descriptor::kUnknown) forget(*d);
    const std::uint64_t id = describe(w, *d, {descriptor, is_stream, false, path, flags});
    if (is_recorded(static_cast<std::uint32_t>(id))) w.extended(record::kFileCreated, t, {&id, 1});
  }
  w.leave(region_of(function), t);
}

void destroyed(ThreadWriter& w, std::uint32_t id) {
  const KeepErrno keep;
  const std::uint64_t word = id;
  w.extended(record::kFileDestroyed, session::now(), {&word, 1});
}

void end_closing(ThreadWriter& w, FileFunction function, int descriptor, std::uint32_t id) {
  const KeepErrno keep;
  destroyed(w, id);
  Descriptor* const d = process().files.table.load(std::memory_order_relaxed)->find(descriptor);
  if (d != nullptr) d->last_id.store(id, std::memory_order_relaxed);
  w.leave(region_of(function), w.last_time());
}

std::uint32_t forget(int descriptor) {
  DescriptorTable* const table = usable_table();
  Descriptor* const d = table == nullptr ? nullptr : table->find(descriptor);
  if (d == nullptr || d->id.load(std::memory_order_relaxed) == Descriptor::kUnknown ||
      !table->is_of_this_process()) {
    return Descriptor::kUnknown;
  }
  return forget(*d);
}

void forget_all(unsigned first, unsigned last) {
  DescriptorTable* const table = usable_table();
  if (table == nullptr || !table->is_of_this_process()) return;
  for (unsigned i = first; i <= last && i < DescriptorTable::kDescriptors; ++i) {
    Descriptor& d = *table->find(static_cast<int>(i));
    if (d.id.load(std::memory_order_relaxed) != Descriptor::kUnknown) forget(d);
  }
}

}  // namespace latecomer::files
