// SPDX-License-Identifier: BSD-3-Clause
// The calls.
#include "tests/files/probe.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tracer/sources/files/checked_names.hpp"

namespace latecomer::test::probe {
namespace {

constexpr int kBefore = 77;

class Log {
 public:
  template <typename Call>
  auto operator()(const char* name, Call&& call) {
    errno = kBefore;
    const auto result = call();
    const int error = errno;
    long number = 0;
    if constexpr (std::is_pointer_v<decltype(result)>) {
      number = result != nullptr ? 1 : 0;
    } else {
      number = static_cast<long>(result);
    }
    outcomes_.push_back({name, number, error});
    return result;
  }
  // Descriptors depend on what is open besides.
  template <typename Call>
  int opens(const char* name, Call&& call) {
    errno = kBefore;
    const int descriptor = call();
    outcomes_.push_back({name, descriptor < 0 ? -1 : 0, errno});
    return descriptor;
  }
  Outcomes take() { return std::move(outcomes_); }

 private:
  Outcomes outcomes_;
};

#define LOG(call) log(#call, [&] { return call; })
#define OPENS(call) log.opens(#call, [&] { return call; })

int print_by_list(FILE* stream, bool checked, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int n =
      checked ? __vfprintf_chk(stream, 1, format, values) : vfprintf(stream, format, values);
  va_end(values);
  return n;
}
int print_by_list(bool checked, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int n = checked ? __vprintf_chk(1, format, values) : vprintf(format, values);
  va_end(values);
  return n;
}

}  // namespace

Outcomes call_posix(const std::string& directory) {
  Log log;
  const std::string path = directory + "/posix", other = directory + "/other";
  char bytes[64] = "0123456789";
  iovec pieces[2] = {{bytes, 3}, {bytes + 3, 4}};
  int file = OPENS(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0640));
  LOG(write(file, bytes, 10));
  LOG(pwrite(file, bytes, 5, 20));
  LOG(pwrite64(file, bytes, 5, 30));
  LOG(writev(file, pieces, 2));
  LOG(pwritev(file, pieces, 2, 40));
  LOG(pwritev64(file, pieces, 2, 50));
  LOG(fsync(file));
  LOG(fdatasync(file));
  LOG(lseek(file, 2, SEEK_SET));
  LOG(read(file, bytes, 4));
  LOG(__read_chk(file, bytes, 4, sizeof bytes));
  LOG(pread(file, bytes, 4, 1));
  LOG(pread64(file, bytes, 4, 1));
  LOG(__pread_chk(file, bytes, 4, 1, sizeof bytes));
  LOG(__pread64_chk(file, bytes, 4, 1, sizeof bytes));
  LOG(readv(file, pieces, 2));
  LOG(preadv(file, pieces, 2, 1));
  LOG(preadv64(file, pieces, 2, 1));
  LOG(lseek64(file, -5, SEEK_END));
  LOG(read(file, bytes, 64));
  LOG(read(file, bytes, 64));
  LOG(ftruncate(file, 15));
  LOG(ftruncate64(file, 12));
  struct stat about {};
  fstat(file, &about);
  log("mode", [&] { return static_cast<long>(about.st_mode & 0777); });
  log("size", [&] { return about.st_size; });
  LOG(close(file));
  LOG(close(OPENS(open64(path.c_str(), O_RDONLY))));
  LOG(close(OPENS(__open_2(path.c_str(), O_RDONLY))));
  LOG(close(OPENS(__open64_2(path.c_str(), O_RDONLY))));
  LOG(close(OPENS(openat(AT_FDCWD, path.c_str(), O_RDONLY))));
  LOG(close(OPENS(openat64(AT_FDCWD, other.c_str(), O_WRONLY | O_CREAT, 0604))));
  stat(other.c_str(), &about);
  log("mode", [&] { return static_cast<long>(about.st_mode & 0777); });
  const int folder = OPENS(open(directory.c_str(), O_RDONLY | O_DIRECTORY));
  LOG(close(OPENS(__openat_2(folder, "posix", O_RDONLY))));
  LOG(close(OPENS(__openat64_2(folder, "posix", O_RDONLY))));
  LOG(close(folder));
  LOG(close(OPENS(creat(path.c_str(), 0600))));
  LOG(close(OPENS(creat64(path.c_str(), 0600))));
  // Not on every file system.
  if (const int nameless = open(directory.c_str(), O_TMPFILE | O_RDWR, 0606); nameless >= 0) {
    fstat(nameless, &about);
    log("mode", [&] { return static_cast<long>(about.st_mode & 0777); });
    LOG(close(nameless));
  }
  return log.take();
}

Outcomes call_streams(const std::string& directory) {
  Log log;
  const std::string path = directory + "/stream", out = directory + "/stdout";
  char text[9000];
  std::memset(text, 'x', sizeof text);
  FILE* stream = LOG(fopen(path.c_str(), "w+"));
  LOG(fwrite(text, 1, 10, stream));
  LOG(fwrite(text, 3, 3000, stream));
  LOG(fwrite_unlocked(text, 1, 10, stream));
  LOG(fputs("line\n", stream));
  LOG(fputs_unlocked("line\n", stream));
  LOG(fprintf(stream, "%d %s\n", 12, "words"));
  LOG(__fprintf_chk(stream, 1, "%d %s\n", 12, "words"));
  LOG(print_by_list(stream, false, "%d\n", 3));
  LOG(print_by_list(stream, true, "%d\n", 3));
  LOG(fflush(stream));
  LOG(fflush_unlocked(stream));
  LOG(fseek(stream, 9000, SEEK_SET));
  LOG(fread(text, 2, 10, stream));
  LOG(fread_unlocked(text, 1, 1, stream));
  LOG(__fread_chk(text, sizeof text, 1, 1, stream));
  LOG(__fread_unlocked_chk(text, sizeof text, 1, 1, stream));
  LOG(fgets(text, 4, stream));
  LOG(fgets_unlocked(text, 4, stream));
  LOG(__fgets_chk(text, sizeof text, 4, stream));
  LOG(__fgets_unlocked_chk(text, sizeof text, 4, stream));
  LOG(fseeko(stream, 9010, SEEK_SET));
  LOG(fseeko64(stream, 9015, SEEK_SET));
  char* line = nullptr;
  std::size_t room = 0;
  LOG(getline(&line, &room, stream));
  LOG(getdelim(&line, &room, ' ', stream));
  LOG(__getdelim(&line, &room, '\n', stream));
  std::free(line);
  rewind(stream);
  LOG(fread(text, 1, sizeof text, stream));
  LOG(fread(text, 1, sizeof text, stream));
  LOG(fgets(text, 4, stream));
  LOG(fclose(stream));
  stream = LOG(fopen64(path.c_str(), "re"));
  LOG(fread(text, 1, 4, stream));
  stream = LOG(freopen(path.c_str(), "a", stream));
  LOG(fputs("more", stream));
  stream = LOG(freopen64(path.c_str(), "r", stream));
  LOG(fclose(stream));
  // The standard output, as a file.
  std::fflush(stdout);
  const int kept = dup(1), file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, 1);
  close(file);
  LOG(printf("%d %s\n", 12, "words"));
  LOG(__printf_chk(1, "%d %s\n", 12, "words"));
  LOG(print_by_list(false, "%d\n", 3));
  LOG(print_by_list(true, "%d\n", 3));
  LOG(puts("text"));
  LOG(fflush(stdout));
  LOG(fflush(nullptr));
  dup3(kept, 1, 0);
  close(kept);
  return log.take();
}

Outcomes call_wrongly(const std::string& directory) {
  Log log;
  char bytes[8] = "1234567";
  auto* nowhere = reinterpret_cast<char*>(8);  // no page is there
  asm("" : "+r"(nowhere));
  iovec piece = {nowhere, 4};
  LOG(read(-1, bytes, 8));
  LOG(write(1'000'000, bytes, 8));
  LOG(close(-1));
  LOG(close(1'000'000));
  LOG(fsync(-1));
  LOG(lseek(-1, 0, SEEK_SET));
  LOG(ftruncate(-1, 0));
  LOG(readv(-1, &piece, 1));
  OPENS(open((directory + "/missing").c_str(), O_RDONLY));
  OPENS(open(nowhere, O_RDONLY));
  OPENS(openat(-1, "missing", O_RDONLY));
  LOG(fopen((directory + "/missing").c_str(), "r"));
  const int file = open((directory + "/wrong").c_str(), O_WRONLY | O_CREAT, 0600);
  LOG(read(file, bytes, 8));
  LOG(write(file, nowhere, 8));
  LOG(writev(file, &piece, 1));
  LOG(lseek(file, -1, SEEK_SET));
  LOG(close(file));
  LOG(close(file));
  const int folder = OPENS(open(directory.c_str(), O_RDONLY));
  LOG(read(folder, bytes, 8));
  LOG(close(folder));
  FILE* const full = fopen("/dev/full", "w");
  LOG(fputs("text", full));
  LOG(fflush(full));
  LOG(fclose(full));
  int ends[2];
  if (pipe(ends) != 0) return log.take();
  LOG(write(ends[1], bytes, 8));
  LOG(read(ends[0], bytes, 8));
  LOG(lseek(ends[0], 0, SEEK_SET));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  LOG(read(ends[0], bytes, 8));
  close(ends[0]);
  close(ends[1]);
  LOG(read(ends[0], bytes, 8));
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return log.take();
  LOG(write(ends[1], bytes, 8));
  LOG(read(ends[0], bytes, 8));
  LOG(close_range(static_cast<unsigned>(ends[0]), static_cast<unsigned>(ends[0]), 0));
  LOG(close(ends[1]));
  DIR* const listed = opendir(directory.c_str());
  LOG(closedir(listed));
  FILE* const shell = popen("cat > /dev/null", "w");
  LOG(fputs("text", shell));
  LOG(pclose(shell));
  return log.take();
}

int open_file(const std::string& path, int flags, unsigned mode) {
  return open(path.c_str(), flags, mode);
}
int open_below(int directory, const std::string& path, int flags) {
  return openat(directory, path.c_str(), flags);
}
long write_bytes(int descriptor, const char* bytes, std::size_t size) {
  const ssize_t n = write(descriptor, bytes, size);
  asm volatile("");  // no tail call: this function is a frame
  return n;
}
long read_bytes(int descriptor, char* bytes, std::size_t size) {
  const ssize_t n = read(descriptor, bytes, size);
  asm volatile("");
  return n;
}
int close_file(int descriptor) { return close(descriptor); }
void close_from_to(int first, int last) {
  for (int i = first; i <= last; ++i) close(i);
}
int put_in_place(int from, int to) { return dup2(from, to); }
void print_lines(FILE* stream, int lines) {
  for (int i = 0; i < lines; ++i) fprintf(stream, "line %d\n", i);
}
void run(const std::function<void()>& work) {
  work();
  asm volatile("");
}

}  // namespace latecomer::test::probe
