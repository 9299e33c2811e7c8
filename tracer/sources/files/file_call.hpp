// SPDX-License-Identifier: BSD-3-Clause
// The common part of the replaced functions: whether a call is recorded, and its records.
//
//   ssize_t read(int descriptor, void* to, size_t size) {
//     ThreadWriter* const w = recorder();
//     const std::uint32_t id = w == nullptr ? Descriptor::kLeftOut : id_of(*w, descriptor, false);
//     if (id == Descriptor::kLeftOut) return LATECOMER_NEXT(read)(descriptor, to, size);
//     begin_call(*w, FileFunction::kRead);
//     const ssize_t got = LATECOMER_NEXT(read)(descriptor, to, size);
//     end_call(*w, FileFunction::kRead, id, kReads, size, got);
//     return got;
//   }
//
// Nothing here changes errno. It allocates or takes a lock only for a call path that is new to the
// thread, or for waiting samples. In a signal handler it never does. A call that is left by
// longjmp() or by the end of its thread leaves nothing behind but a region that stays open.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "tracer/functions/file_functions.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::files {

using record::FileFunction;
using session::ThreadWriter;
using session::Ticks;

// OTF2's modes of operations.
enum class Mode : std::uint8_t { kReads, kWrites, kFlushes };

// The descriptor is known, but has no id because there are too many.
inline constexpr std::uint32_t kTooMany = 0xfffffffe;

// Keeps errno as it is.
class KeepErrno {
 public:
  KeepErrno() : errno_(errno) {}
  ~KeepErrno() { errno = errno_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int errno_;
};

// The writer of a thread that may record now, else null. It is never searched for, since that takes
// a lock: a thread that has not called MPI or entered a region has none, and switching recording on
// takes effect at the next of those.
[[gnu::always_inline]] inline ThreadWriter* candidate() {
  const DescriptorTable* const table = process().files.table.load(std::memory_order_relaxed);
  if (table == nullptr) [[likely]]
    return nullptr;
  const session::detail::ThreadState& t = session::detail::thread_state;
  const bool is_current =
      t.seen == process().session.generation.load(std::memory_order_relaxed) && table->is_alive();
  return is_current ? t.current : nullptr;
}

namespace detail {

// Null if a call from this place is not recorded. With `samples`, those before the call are taken.
ThreadWriter* checked(ThreadWriter* w, const callpath::CallPlace& place, bool samples);

// The frame of the function in which this is inlined.
[[gnu::always_inline]] inline callpath::CallPlace this_place() {
  const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  return {reinterpret_cast<std::uintptr_t>(frame + 1),
          reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), frame[0]};
}

}  // namespace detail

// The writer for a call of the function in which this is inlined; null if the call is not recorded.
// `before`: samples may be taken, since no time of the call has passed.
[[gnu::always_inline]] inline ThreadWriter* recorder(bool before = true) {
  ThreadWriter* w = candidate();
  if (w == nullptr) [[likely]]
    return nullptr;
  w = detail::checked(w, detail::this_place(), before);
  session::note_call_path(w);
  return w;
}

// Id of a descriptor, which is described if it was not seen before. Descriptor::kLeftOut: it has no
// bytes (a socket), or does not exist. kTooMany: it can only be named by the function.
std::uint32_t id_of(ThreadWriter& w, int descriptor, bool is_stream);

// Records at the begin and the end of a call. `result` is that of the function: bytes, or negative.
void begin_call(ThreadWriter& w, FileFunction function);
void end_call(ThreadWriter& w, FileFunction function, std::uint32_t id, Mode mode,
              std::uint64_t asked, std::int64_t result);
// A call without an operation.
void end_call(ThreadWriter& w, FileFunction function);
void operated(ThreadWriter& w, std::uint32_t id, Mode mode, std::uint64_t asked,
              std::int64_t result, Ticks t);

// The call has opened a descriptor. `path` may be null; `flags` are those of open().
void end_opening(ThreadWriter& w, FileFunction function, int descriptor, bool is_stream,
                 const char* path, int flags);
// The call has closed a descriptor with this id; destroyed() only says that it is closed.
void destroyed(ThreadWriter& w, std::uint32_t id);
void end_closing(ThreadWriter& w, FileFunction function, int descriptor, std::uint32_t id);

// Forgets a descriptor that is about to be closed or replaced, and returns its id. Nothing happens
// in a child of vfork(), whose descriptors are its own.
std::uint32_t forget(int descriptor);
void forget_all(unsigned first, unsigned last);
inline bool is_recorded(std::uint32_t id) {
  return id != Descriptor::kUnknown && id != Descriptor::kLeftOut && id != kTooMany;
}

}  // namespace latecomer::files
