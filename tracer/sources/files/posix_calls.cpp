// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions of POSIX that read, write and store data, or set a position.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracer/record/extended.hpp"
#include "tracer/sources/blocking/blocking_call.hpp"
#include "tracer/sources/files/replaced.hpp"

namespace latecomer::files {
namespace {

// Runs `call`, which is not recorded. It may wait for the partner of a socket.
template <typename Call>
[[gnu::always_inline]] inline auto unrecorded(FileFunction function, Call&& call) {
  using blocking::Function;
  const auto as = function == FileFunction::kRead     ? Function::k_read
                  : function == FileFunction::kReadv  ? Function::k_readv
                  : function == FileFunction::kWrite  ? Function::k_write
                  : function == FileFunction::kWritev ? Function::k_writev
                                                      : Function::kCount;
  if (as == Function::kCount) return call();
  return blocking::blocking_call(as, blocking::this_place(), call);
}

// Runs `call` on a descriptor. If it is recorded, `end(writer, id, result)` writes the records at
// its end.
template <typename Call, typename End>
[[gnu::always_inline]] inline auto file_call(FileFunction function, int descriptor, Call&& call,
                                             End&& end) {
  ThreadWriter* const w = recorder();
  const std::uint32_t id = w == nullptr ? Descriptor::kLeftOut : id_of(*w, descriptor, false);
  if (id == Descriptor::kLeftOut) return unrecorded(function, call);
  begin_call(*w, function);
  const auto result = call();
  end(*w, id, result);
  return result;
}

// Runs `call`, which moves bytes.
template <typename Call>
[[gnu::always_inline]] inline auto transfer(FileFunction function, int descriptor, Mode mode,
                                            std::size_t asked, Call&& call) {
  return file_call(function, descriptor, call,
                   [&](ThreadWriter& w, std::uint32_t id, std::int64_t result) {
                     end_call(w, function, id, mode, asked, result);
                   });
}

// The same for several pieces of memory. Their sizes are only read if the kernel could read them.
template <typename Call>
[[gnu::always_inline]] inline auto transfer(FileFunction function, int descriptor, Mode mode,
                                            const iovec* pieces, int count, Call&& call) {
  return file_call(function, descriptor, call,
                   [&](ThreadWriter& w, std::uint32_t id, std::int64_t result) {
                     std::size_t asked = 0;
                     for (int i = 0; result >= 0 && i < count; ++i) asked += pieces[i].iov_len;
                     end_call(w, function, id, mode, asked, result);
                   });
}

// Runs `call`, which moves no bytes to the program or from it.
template <typename Call>
[[gnu::always_inline]] inline int store(FileFunction function, int descriptor, Call&& call) {
  return file_call(function, descriptor, call, [&](ThreadWriter& w, std::uint32_t id, int) {
    end_call(w, function, id, Mode::kFlushes, 0, 0);
  });
}

template <typename Call>
[[gnu::always_inline]] inline int truncate(int descriptor, Call&& call) {
  return file_call(
      FileFunction::kFtruncate, descriptor, call,
      [](ThreadWriter& w, std::uint32_t, int) { end_call(w, FileFunction::kFtruncate); });
}

// The origins of OTF2 have the numbers of Linux.
void end_seek(ThreadWriter& w, std::uint32_t id, std::int64_t offset, int origin,
              std::int64_t now_at) {
  const KeepErrno keep;
  const Ticks t = session::now();
  if (is_recorded(id) && now_at >= 0) {
    const std::uint64_t words[] = {id | static_cast<std::uint64_t>(origin) << 32,
                                   static_cast<std::uint64_t>(offset),
                                   static_cast<std::uint64_t>(now_at)};
    w.extended(record::kFileSought, t, words);
  }
  w.leave(region_of(FileFunction::kLseek), t);
}

template <typename Call>
[[gnu::always_inline]] inline std::int64_t seek(int descriptor, std::int64_t offset, int origin,
                                                Call&& call) {
  return file_call(FileFunction::kLseek, descriptor, call,
                   [&](ThreadWriter& w, std::uint32_t id, std::int64_t result) {
                     end_seek(w, id, offset, origin, result);
                   });
}

}  // namespace
}  // namespace latecomer::files

using namespace latecomer::files;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED ssize_t read(int descriptor, void* to, std::size_t size) {
  return transfer(FileFunction::kRead, descriptor, Mode::kReads, size,
                  [&] { return LATECOMER_NEXT(read)(descriptor, to, size); });
}

LATECOMER_REPLACED ssize_t __read_chk(int descriptor, void* to, std::size_t size,
                                      std::size_t room) {
  return transfer(FileFunction::kRead, descriptor, Mode::kReads, size,
                  [&] { return LATECOMER_NEXT(__read_chk)(descriptor, to, size, room); });
}

LATECOMER_REPLACED ssize_t write(int descriptor, const void* from, std::size_t size) {
  return transfer(FileFunction::kWrite, descriptor, Mode::kWrites, size,
                  [&] { return LATECOMER_NEXT(write)(descriptor, from, size); });
}

LATECOMER_REPLACED ssize_t pread(int descriptor, void* to, std::size_t size, off_t offset) {
  return transfer(FileFunction::kPread, descriptor, Mode::kReads, size,
                  [&] { return LATECOMER_NEXT(pread)(descriptor, to, size, offset); });
}

LATECOMER_REPLACED ssize_t pread64(int descriptor, void* to, std::size_t size, off64_t offset) {
  return transfer(FileFunction::kPread, descriptor, Mode::kReads, size,
                  [&] { return LATECOMER_NEXT(pread64)(descriptor, to, size, offset); });
}

LATECOMER_REPLACED ssize_t __pread_chk(int descriptor, void* to, std::size_t size, off_t offset,
                                       std::size_t room) {
  return transfer(FileFunction::kPread, descriptor, Mode::kReads, size,
                  [&] { return LATECOMER_NEXT(__pread_chk)(descriptor, to, size, offset, room); });
}

LATECOMER_REPLACED ssize_t __pread64_chk(int descriptor, void* to, std::size_t size, off64_t offset,
                                         std::size_t room) {
  return transfer(FileFunction::kPread, descriptor, Mode::kReads, size, [&] {
    return LATECOMER_NEXT(__pread64_chk)(descriptor, to, size, offset, room);
  });
}

LATECOMER_REPLACED ssize_t pwrite(int descriptor, const void* from, std::size_t size,
                                  off_t offset) {
  return transfer(FileFunction::kPwrite, descriptor, Mode::kWrites, size,
                  [&] { return LATECOMER_NEXT(pwrite)(descriptor, from, size, offset); });
}

LATECOMER_REPLACED ssize_t pwrite64(int descriptor, const void* from, std::size_t size,
                                    off64_t offset) {
  return transfer(FileFunction::kPwrite, descriptor, Mode::kWrites, size,
                  [&] { return LATECOMER_NEXT(pwrite64)(descriptor, from, size, offset); });
}

LATECOMER_REPLACED ssize_t readv(int descriptor, const iovec* pieces, int count) {
  return transfer(FileFunction::kReadv, descriptor, Mode::kReads, pieces, count,
                  [&] { return LATECOMER_NEXT(readv)(descriptor, pieces, count); });
}

LATECOMER_REPLACED ssize_t writev(int descriptor, const iovec* pieces, int count) {
  return transfer(FileFunction::kWritev, descriptor, Mode::kWrites, pieces, count,
                  [&] { return LATECOMER_NEXT(writev)(descriptor, pieces, count); });
}

LATECOMER_REPLACED ssize_t preadv(int descriptor, const iovec* pieces, int count, off_t offset) {
  return transfer(FileFunction::kPreadv, descriptor, Mode::kReads, pieces, count,
                  [&] { return LATECOMER_NEXT(preadv)(descriptor, pieces, count, offset); });
}

LATECOMER_REPLACED ssize_t preadv64(int descriptor, const iovec* pieces, int count,
                                    off64_t offset) {
  return transfer(FileFunction::kPreadv, descriptor, Mode::kReads, pieces, count,
                  [&] { return LATECOMER_NEXT(preadv64)(descriptor, pieces, count, offset); });
}

LATECOMER_REPLACED ssize_t pwritev(int descriptor, const iovec* pieces, int count, off_t offset) {
  return transfer(FileFunction::kPwritev, descriptor, Mode::kWrites, pieces, count,
                  [&] { return LATECOMER_NEXT(pwritev)(descriptor, pieces, count, offset); });
}

LATECOMER_REPLACED ssize_t pwritev64(int descriptor, const iovec* pieces, int count,
                                     off64_t offset) {
  return transfer(FileFunction::kPwritev, descriptor, Mode::kWrites, pieces, count,
                  [&] { return LATECOMER_NEXT(pwritev64)(descriptor, pieces, count, offset); });
}

LATECOMER_REPLACED int fsync(int descriptor) {
  return store(FileFunction::kFsync, descriptor, [&] { return LATECOMER_NEXT(fsync)(descriptor); });
}

LATECOMER_REPLACED int fdatasync(int descriptor) {
  return store(FileFunction::kFdatasync, descriptor,
               [&] { return LATECOMER_NEXT(fdatasync)(descriptor); });
}

LATECOMER_REPLACED int ftruncate(int descriptor, off_t size) noexcept {
  return truncate(descriptor, [&] { return LATECOMER_NEXT(ftruncate)(descriptor, size); });
}

LATECOMER_REPLACED int ftruncate64(int descriptor, off64_t size) noexcept {
  return truncate(descriptor, [&] { return LATECOMER_NEXT(ftruncate64)(descriptor, size); });
}

LATECOMER_REPLACED off_t lseek(int descriptor, off_t offset, int origin) noexcept {
  return seek(descriptor, offset, origin,
              [&] { return LATECOMER_NEXT(lseek)(descriptor, offset, origin); });
}

LATECOMER_REPLACED off64_t lseek64(int descriptor, off64_t offset, int origin) noexcept {
  return seek(descriptor, offset, origin,
              [&] { return LATECOMER_NEXT(lseek64)(descriptor, offset, origin); });
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
