// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions on C's streams.
//
// Most calls on a stream only touch its buffer, up to 10^8 times per second. They are counted. A
// call is recorded if data went to the file or came from it, and with the bytes that did. So the
// sum over all calls is what was moved, whatever the sizes of the pieces that the program used.
//
// The C library's own calls of write() and read() do not come by here, so its buffers are looked at
// before and after a call:
//
//   written to the file = waiting in the buffer before + given by the call - waiting afterwards
//   read from the file  = taken by the call + available in the buffer afterwards - before
//
// Where several threads use one stream at a time, these numbers may be off.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "tracer/sources/files/replaced.hpp"

namespace latecomer::files {
namespace {

using session::detail::FileCalls;
using session::detail::thread_state;

// Bytes that a stream has in its buffer.
struct Buffered {
  explicit Buffered(const FILE* stream)
      : descriptor(stream->_mode > 0 ? -1 : stream->_fileno),  // wide ones have other buffers
        waiting(stream->_IO_write_ptr - stream->_IO_write_base),
        available(stream->_IO_read_end - stream->_IO_read_ptr) {}
  int descriptor;  // -1: no file, or not known
  std::ptrdiff_t waiting, available;
};

enum class Direction : std::uint8_t { kIn, kOut };

// Bytes that went between the file and the buffer, or past it.
std::ptrdiff_t moved(Direction way, const Buffered& before, std::ptrdiff_t bytes,
                     const Buffered& after) {
  return way == Direction::kOut ? before.waiting + bytes - after.waiting
                                : bytes + after.available - before.available;
}

// Samples are taken before the call, since its records are only written afterwards.
[[gnu::always_inline]] inline ThreadWriter* stream_writer() {
  ThreadWriter* const w = candidate();
  if (w == nullptr) [[likely]]
    return nullptr;
  if (!session::detail::has_samples(thread_state)) [[likely]]
    return w;
  return files::detail::checked(w, files::detail::this_place(), true);
}

void record(ThreadWriter& w, FileFunction function, int descriptor, Direction way,
            std::ptrdiff_t bytes, Ticks begin) {
  const Ticks end = session::now();
  const std::uint32_t id = id_of(w, descriptor, true);
  if (id == Descriptor::kLeftOut) return;
  w.enter(region_of(function), begin);
  const auto size = static_cast<std::uint64_t>(bytes > 0 ? bytes : 0);
  operated(w, id, way == Direction::kOut ? Mode::kWrites : Mode::kReads, size,
           static_cast<std::int64_t>(size), end);
  w.leave(region_of(function), end);
}

// Runs `call`. From its result, `bytes` makes the number of bytes that it gave to the stream or
// took from it, and `ended` says whether it met the end of the file.
template <typename Call, typename Bytes, typename Ended>
[[gnu::always_inline]] inline auto stream_call(FileFunction function, FILE* stream, Direction way,
                                               Call&& call, Bytes&& bytes, Ended&& ended) {
  if (stream_writer() == nullptr) return call();
  const Buffered before(stream);
  if (before.descriptor < 0) return call();
  const Ticks begin = session::now();
  const auto result = call();
  const KeepErrno keep;
  const Buffered after(stream);
  const std::ptrdiff_t size = moved(way, before, bytes(result), after);
  if (size <= 0 && !ended(result)) {
    FileCalls::count(thread_state.info->file_calls.in_memory);
    return result;
  }
  if (ThreadWriter* const w = recorder(false); w != nullptr) {
    record(*w, function, before.descriptor, way, size, begin);
  }
  return result;
}

template <typename Call, typename Bytes>
[[gnu::always_inline]] inline auto write_call(FileFunction function, FILE* stream, Call&& call,
                                              Bytes&& bytes) {
  return stream_call(function, stream, Direction::kOut, call, bytes, [](auto) { return false; });
}

// Functions that return how many characters they wrote.
template <typename Call>
[[gnu::always_inline]] inline int print_call(FileFunction function, FILE* stream, Call&& call) {
  return write_call(function, stream, call, [](int n) { return n < 0 ? 0 : n; });
}

// Functions that read a number of items.
template <typename Call>
[[gnu::always_inline]] inline std::size_t read_call(FILE* stream, std::size_t size,
                                                    std::size_t items, Call&& call) {
  return stream_call(
      FileFunction::kFread, stream, Direction::kIn, call,
      [size](std::size_t n) { return static_cast<std::ptrdiff_t>(n * size); },
      [=](std::size_t n) { return size != 0 && n < items; });
}

// Functions that read a text.
template <typename Call>
[[gnu::always_inline]] inline char* line_call(FILE* stream, Call&& call) {
  return stream_call(
      FileFunction::kFgets, stream, Direction::kIn, call,
      [](const char* text) {
        return text == nullptr ? 0 : static_cast<std::ptrdiff_t>(strlen(text));
      },
      [](const char* text) { return text == nullptr; });
}

template <typename Call>
[[gnu::always_inline]] inline ssize_t long_line_call(FileFunction function, FILE* stream,
                                                     Call&& call) {
  return stream_call(
      function, stream, Direction::kIn, call,
      [](ssize_t n) { return static_cast<std::ptrdiff_t>(n < 0 ? 0 : n); },
      [](ssize_t n) { return n < 0; });
}

// Functions that empty the buffer, perhaps, and have a result.
template <typename Call>
[[gnu::always_inline]] inline int empty_call(FileFunction function, FILE* stream, Call&& call) {
  return write_call(function, stream, call, [](int) { return 0; });
}

// fflush() of all streams: which of them had something to write is not known.
template <typename Call>
[[gnu::always_inline]] inline int flush_call(FILE* stream, Call&& call) {
  if (stream != nullptr) return empty_call(FileFunction::kFflush, stream, call);
  ThreadWriter* const w = recorder();
  if (w == nullptr) return call();
  begin_call(*w, FileFunction::kFflush);
  const int result = call();
  end_call(*w, FileFunction::kFflush);
  return result;
}

// Flags of open() for the mode of fopen(), such as "r+b".
int flags_of(const char* mode) {
  const bool both = std::strchr(mode, '+') != nullptr;
  int flags = 0;
  switch (mode[0]) {
    case 'w':
      flags = O_CREAT | O_TRUNC | (both ? O_RDWR : O_WRONLY);
      break;
    case 'a':
      flags = O_CREAT | O_APPEND | (both ? O_RDWR : O_WRONLY);
      break;
    default:
      flags = both ? O_RDWR : O_RDONLY;
      break;
  }
  return flags | (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0) |
         (std::strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0);
}

template <typename Call>
[[gnu::always_inline]] inline FILE* open_stream(FileFunction function, const char* path,
                                                const char* mode, Call&& call) {
  ThreadWriter* const w = recorder();
  if (w == nullptr) {
    FILE* const stream = call();
    if (stream != nullptr) forget(stream->_fileno);
    return stream;
  }
  begin_call(*w, function);
  FILE* const stream = call();
  if (stream == nullptr) {
    end_call(*w, function);
  } else {
    end_opening(*w, function, stream->_fileno, true, path, flags_of(mode));
  }
  return stream;
}

// Records that a stream is closed: what was waiting in its buffer is written then.
void end_stream(ThreadWriter& w, std::uint32_t id, const Buffered& before, bool is_written) {
  const KeepErrno keep;
  const Ticks t = session::now();
  if (before.waiting > 0) {
    operated(w, id, Mode::kWrites, static_cast<std::uint64_t>(before.waiting),
             is_written ? before.waiting : 0, t);
  }
}

// freopen() closes the stream's descriptor first.
template <typename Call>
[[gnu::always_inline]] inline FILE* reopen_stream(const char* path, const char* mode, FILE* stream,
                                                  Call&& call) {
  const Buffered before(stream);
  const std::uint32_t known =
      before.descriptor < 0 ? Descriptor::kUnknown : forget(before.descriptor);
  ThreadWriter* const w = recorder();
  if (w == nullptr) {
    FILE* const opened = call();
    if (opened != nullptr) forget(opened->_fileno);
    return opened;
  }
  begin_call(*w, FileFunction::kFreopen);
  FILE* const opened = call();
  if (is_recorded(known)) {
    end_stream(*w, known, before, true);
    destroyed(*w, known);
  }
  if (opened == nullptr || path == nullptr) {
    end_call(*w, FileFunction::kFreopen);
  } else {
    end_opening(*w, FileFunction::kFreopen, opened->_fileno, true, path, flags_of(mode));
  }
  return opened;
}

}  // namespace
}  // namespace latecomer::files

using namespace latecomer::files;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED FILE* fopen(const char* path, const char* mode) {
  return open_stream(FileFunction::kFopen, path, mode,
                     [&] { return LATECOMER_NEXT(fopen)(path, mode); });
}

LATECOMER_REPLACED FILE* fopen64(const char* path, const char* mode) {
  return open_stream(FileFunction::kFopen, path, mode,
                     [&] { return LATECOMER_NEXT(fopen64)(path, mode); });
}

LATECOMER_REPLACED FILE* freopen(const char* path, const char* mode, FILE* stream) {
  return reopen_stream(path, mode, stream,
                       [&] { return LATECOMER_NEXT(freopen)(path, mode, stream); });
}

LATECOMER_REPLACED FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return reopen_stream(path, mode, stream,
                       [&] { return LATECOMER_NEXT(freopen64)(path, mode, stream); });
}

// The stream is gone afterwards.
LATECOMER_REPLACED int fclose(FILE* stream) {
  const std::uint32_t known = forget(stream->_fileno);
  ThreadWriter* const w = is_recorded(known) ? recorder() : nullptr;
  if (w == nullptr) return LATECOMER_NEXT(fclose)(stream);
  const Buffered before(stream);
  begin_call(*w, FileFunction::kFclose);
  const int result = LATECOMER_NEXT(fclose)(stream);
  end_stream(*w, known, before, result == 0);
  end_closing(*w, FileFunction::kFclose, before.descriptor, known);
  return result;
}

LATECOMER_REPLACED std::size_t fread(void* to, std::size_t size, std::size_t items, FILE* stream) {
  return read_call(stream, size, items,
                   [&] { return LATECOMER_NEXT(fread)(to, size, items, stream); });
}

LATECOMER_REPLACED std::size_t fread_unlocked(void* to, std::size_t size, std::size_t items,
                                              FILE* stream) {
  return read_call(stream, size, items,
                   [&] { return LATECOMER_NEXT(fread_unlocked)(to, size, items, stream); });
}

LATECOMER_REPLACED std::size_t __fread_chk(void* to, std::size_t room, std::size_t size,
                                           std::size_t items, FILE* stream) {
  return read_call(stream, size, items,
                   [&] { return LATECOMER_NEXT(__fread_chk)(to, room, size, items, stream); });
}

LATECOMER_REPLACED std::size_t __fread_unlocked_chk(void* to, std::size_t room, std::size_t size,
                                                    std::size_t items, FILE* stream) {
  return read_call(stream, size, items, [&] {
    return LATECOMER_NEXT(__fread_unlocked_chk)(to, room, size, items, stream);
  });
}

LATECOMER_REPLACED std::size_t fwrite(const void* from, std::size_t size, std::size_t items,
                                      FILE* stream) {
  return write_call(
      FileFunction::kFwrite, stream,
      [&] { return LATECOMER_NEXT(fwrite)(from, size, items, stream); },
      [size](std::size_t n) { return static_cast<std::ptrdiff_t>(n * size); });
}

LATECOMER_REPLACED std::size_t fwrite_unlocked(const void* from, std::size_t size,
                                               std::size_t items, FILE* stream) {
  return write_call(
      FileFunction::kFwrite, stream,
      [&] { return LATECOMER_NEXT(fwrite_unlocked)(from, size, items, stream); },
      [size](std::size_t n) { return static_cast<std::ptrdiff_t>(n * size); });
}

LATECOMER_REPLACED int fflush(FILE* stream) {
  return flush_call(stream, [&] { return LATECOMER_NEXT(fflush)(stream); });
}

LATECOMER_REPLACED int fflush_unlocked(FILE* stream) {
  return flush_call(stream, [&] { return LATECOMER_NEXT(fflush_unlocked)(stream); });
}

LATECOMER_REPLACED int fseek(FILE* stream, long offset, int origin) {
  return empty_call(FileFunction::kFseek, stream,
                    [&] { return LATECOMER_NEXT(fseek)(stream, offset, origin); });
}

LATECOMER_REPLACED int fseeko(FILE* stream, off_t offset, int origin) {
  return empty_call(FileFunction::kFseeko, stream,
                    [&] { return LATECOMER_NEXT(fseeko)(stream, offset, origin); });
}

LATECOMER_REPLACED int fseeko64(FILE* stream, off64_t offset, int origin) {
  return empty_call(FileFunction::kFseeko, stream,
                    [&] { return LATECOMER_NEXT(fseeko64)(stream, offset, origin); });
}

LATECOMER_REPLACED void rewind(FILE* stream) {
  empty_call(FileFunction::kRewind, stream, [&] {
    LATECOMER_NEXT(rewind)(stream);
    return 0;
  });
}

LATECOMER_REPLACED char* fgets(char* to, int size, FILE* stream) {
  return line_call(stream, [&] { return LATECOMER_NEXT(fgets)(to, size, stream); });
}

LATECOMER_REPLACED char* fgets_unlocked(char* to, int size, FILE* stream) {
  return line_call(stream, [&] { return LATECOMER_NEXT(fgets_unlocked)(to, size, stream); });
}

LATECOMER_REPLACED char* __fgets_chk(char* to, std::size_t room, int size, FILE* stream) {
  return line_call(stream, [&] { return LATECOMER_NEXT(__fgets_chk)(to, room, size, stream); });
}

LATECOMER_REPLACED char* __fgets_unlocked_chk(char* to, std::size_t room, int size, FILE* stream) {
  return line_call(stream,
                   [&] { return LATECOMER_NEXT(__fgets_unlocked_chk)(to, room, size, stream); });
}

LATECOMER_REPLACED ssize_t getline(char** to, std::size_t* room, FILE* stream) {
  return long_line_call(FileFunction::kGetline, stream,
                        [&] { return LATECOMER_NEXT(getline)(to, room, stream); });
}

LATECOMER_REPLACED ssize_t getdelim(char** to, std::size_t* room, int end, FILE* stream) {
  return long_line_call(FileFunction::kGetdelim, stream,
                        [&] { return LATECOMER_NEXT(getdelim)(to, room, end, stream); });
}

// Optimized programs call this for getline().
LATECOMER_REPLACED ssize_t __getdelim(char** to, std::size_t* room, int end, FILE* stream) {
  return long_line_call(end == '\n' ? FileFunction::kGetline : FileFunction::kGetdelim, stream,
                        [&] { return LATECOMER_NEXT(__getdelim)(to, room, end, stream); });
}

LATECOMER_REPLACED int fputs(const char* text, FILE* stream) {
  return write_call(
      FileFunction::kFputs, stream, [&] { return LATECOMER_NEXT(fputs)(text, stream); },
      [text](int n) { return n < 0 ? 0 : static_cast<std::ptrdiff_t>(std::strlen(text)); });
}

LATECOMER_REPLACED int fputs_unlocked(const char* text, FILE* stream) {
  return write_call(
      FileFunction::kFputs, stream, [&] { return LATECOMER_NEXT(fputs_unlocked)(text, stream); },
      [text](int n) { return n < 0 ? 0 : static_cast<std::ptrdiff_t>(std::strlen(text)); });
}

LATECOMER_REPLACED int puts(const char* text) {
  return write_call(
      FileFunction::kPuts, stdout, [&] { return LATECOMER_NEXT(puts)(text); },
      [text](int n) { return n < 0 ? 0 : static_cast<std::ptrdiff_t>(std::strlen(text)) + 1; });
}

LATECOMER_REPLACED int vfprintf(FILE* stream, const char* format, std::va_list values) {
  return print_call(FileFunction::kVfprintf, stream,
                    [&] { return LATECOMER_NEXT(vfprintf)(stream, format, values); });
}

LATECOMER_REPLACED int __vfprintf_chk(FILE* stream, int flag, const char* format,
                                      std::va_list values) {
  return print_call(FileFunction::kVfprintf, stream,
                    [&] { return LATECOMER_NEXT(__vfprintf_chk)(stream, flag, format, values); });
}

LATECOMER_REPLACED int vprintf(const char* format, std::va_list values) {
  return print_call(FileFunction::kVprintf, stdout,
                    [&] { return LATECOMER_NEXT(vfprintf)(stdout, format, values); });
}

LATECOMER_REPLACED int __vprintf_chk(int flag, const char* format, std::va_list values) {
  return print_call(FileFunction::kVprintf, stdout,
                    [&] { return LATECOMER_NEXT(__vfprintf_chk)(stdout, flag, format, values); });
}

LATECOMER_REPLACED int fprintf(FILE* stream, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int result = print_call(FileFunction::kFprintf, stream,
                                [&] { return LATECOMER_NEXT(vfprintf)(stream, format, values); });
  va_end(values);
  return result;
}

LATECOMER_REPLACED int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int result = print_call(FileFunction::kFprintf, stream, [&] {
    return LATECOMER_NEXT(__vfprintf_chk)(stream, flag, format, values);
  });
  va_end(values);
  return result;
}

LATECOMER_REPLACED int printf(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int result = print_call(FileFunction::kPrintf, stdout,
                                [&] { return LATECOMER_NEXT(vfprintf)(stdout, format, values); });
  va_end(values);
  return result;
}

LATECOMER_REPLACED int __printf_chk(int flag, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int result = print_call(FileFunction::kPrintf, stdout, [&] {
    return LATECOMER_NEXT(__vfprintf_chk)(stdout, flag, format, values);
  });
  va_end(values);
  return result;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
