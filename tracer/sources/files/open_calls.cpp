// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions that open, close and replace descriptors.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/sources/files/replaced.hpp"

namespace latecomer::files {
namespace {

// The mode of a new file is an argument only if open() can make one.
bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

// Runs `call`, which opens a file. Something that was closed unseen had its number perhaps.
template <typename Call>
[[gnu::always_inline]] inline int open_file(FileFunction function, const char* path, int flags,
                                            Call&& call) {
  ThreadWriter* const w = recorder();
  if (w == nullptr) {
    const int descriptor = call();
    if (descriptor >= 0) forget(descriptor);
    return descriptor;
  }
  begin_call(*w, function);
  const int descriptor = call();
  if (descriptor < 0) {
    end_call(*w, function);
  } else {
    end_opening(*w, function, descriptor, false, path, flags);
  }
  return descriptor;
}

// Runs `call`, which closes a descriptor.
template <typename Call>
[[gnu::always_inline]] inline int close_file(FileFunction function, int descriptor, Call&& call) {
  const std::uint32_t id = forget(descriptor);
  ThreadWriter* const w = is_recorded(id) ? recorder() : nullptr;
  if (w == nullptr) return call();
  begin_call(*w, function);
  const int result = call();
  end_closing(*w, function, descriptor, id);
  return result;
}

}  // namespace
}  // namespace latecomer::files

using namespace latecomer::files;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

#define LATECOMER_TAKE_MODE(flags) \
  mode_t mode = 0;                 \
  if (has_mode(flags)) {           \
    std::va_list values;           \
    va_start(values, flags);       \
    mode = va_arg(values, mode_t); \
    va_end(values);                \
  }

LATECOMER_REPLACED int open(const char* path, int flags, ...) {
  LATECOMER_TAKE_MODE(flags)
  return open_file(FileFunction::kOpen, path, flags,
                   [&] { return LATECOMER_NEXT(open)(path, flags, mode); });
}

LATECOMER_REPLACED int open64(const char* path, int flags, ...) {
  LATECOMER_TAKE_MODE(flags)
  return open_file(FileFunction::kOpen, path, flags,
                   [&] { return LATECOMER_NEXT(open64)(path, flags, mode); });
}

LATECOMER_REPLACED int __open_2(const char* path, int flags) {
  return open_file(FileFunction::kOpen, path, flags,
                   [&] { return LATECOMER_NEXT(__open_2)(path, flags); });
}

LATECOMER_REPLACED int __open64_2(const char* path, int flags) {
  return open_file(FileFunction::kOpen, path, flags,
                   [&] { return LATECOMER_NEXT(__open64_2)(path, flags); });
}

LATECOMER_REPLACED int openat(int directory, const char* path, int flags, ...) {
  LATECOMER_TAKE_MODE(flags)
  return open_file(FileFunction::kOpenat, path, flags,
                   [&] { return LATECOMER_NEXT(openat)(directory, path, flags, mode); });
}

LATECOMER_REPLACED int openat64(int directory, const char* path, int flags, ...) {
  LATECOMER_TAKE_MODE(flags)
  return open_file(FileFunction::kOpenat, path, flags,
                   [&] { return LATECOMER_NEXT(openat64)(directory, path, flags, mode); });
}

LATECOMER_REPLACED int __openat_2(int directory, const char* path, int flags) {
  return open_file(FileFunction::kOpenat, path, flags,
                   [&] { return LATECOMER_NEXT(__openat_2)(directory, path, flags); });
}

LATECOMER_REPLACED int __openat64_2(int directory, const char* path, int flags) {
  return open_file(FileFunction::kOpenat, path, flags,
                   [&] { return LATECOMER_NEXT(__openat64_2)(directory, path, flags); });
}

LATECOMER_REPLACED int creat(const char* path, mode_t mode) {
  return open_file(FileFunction::kCreat, path, O_CREAT | O_WRONLY | O_TRUNC,
                   [&] { return LATECOMER_NEXT(creat)(path, mode); });
}

LATECOMER_REPLACED int creat64(const char* path, mode_t mode) {
  return open_file(FileFunction::kCreat, path, O_CREAT | O_WRONLY | O_TRUNC,
                   [&] { return LATECOMER_NEXT(creat64)(path, mode); });
}

LATECOMER_REPLACED int close(int descriptor) {
  return close_file(FileFunction::kClose, descriptor,
                    [&] { return LATECOMER_NEXT(close)(descriptor); });
}

// These are not recorded. They only change what descriptors are.

LATECOMER_REPLACED int close_range(unsigned first, unsigned last, int flags) noexcept {
  constexpr int kCloseOnExec = 1 << 2;
  if ((flags & kCloseOnExec) == 0) forget_all(first, last);
  return LATECOMER_NEXT(close_range)(first, last, flags);
}

LATECOMER_REPLACED void closefrom(int first) noexcept {
  forget_all(first < 0 ? 0 : static_cast<unsigned>(first), ~0U);
  LATECOMER_NEXT(closefrom)(first);
}

LATECOMER_REPLACED int closedir(DIR* directory) {
  DIR* given = directory;
  asm("" : "+r"(given));  // the headers promise that it is not null, but programs do not
  if (given != nullptr) forget(dirfd(given));
  return LATECOMER_NEXT(closedir)(directory);
}

LATECOMER_REPLACED int pclose(FILE* stream) {
  forget(fileno(stream));
  return LATECOMER_NEXT(pclose)(stream);
}

LATECOMER_REPLACED int dup2(int from, int to) noexcept {
  if (from != to) forget(to);
  return LATECOMER_NEXT(dup2)(from, to);
}

LATECOMER_REPLACED int dup3(int from, int to, int flags) noexcept {
  forget(to);
  return LATECOMER_NEXT(dup3)(from, to, flags);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
