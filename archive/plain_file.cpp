// SPDX-License-Identifier: BSD-3-Clause
// Opens regular files only, and writes files without following links.
#include "archive/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "archive/first_umask.hpp"

namespace latecomer {
namespace {

constexpr mode_t kMode = 0666;

// Returns `file` if it is a regular file; otherwise closes it, sets errno and returns -1.
int plain(int file) {
  if (file < 0) return file;
  struct stat status {};
  const int error = fstat(file, &status) != 0 ? errno
                    : S_ISDIR(status.st_mode) ? EISDIR
                    : S_ISREG(status.st_mode) ? 0
                                              : EINVAL;
  if (error == 0) return file;
  close(file);
  errno = error;
  return -1;
}

int write_and_close(int file, std::string_view content) {
  if (file < 0) return errno;
  int error = 0;
  while (!content.empty() && error == 0) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR) error = errno;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

std::string file_error(int error) {
  return error == EINVAL ? "not a regular file" : std::strerror(error);
}

// O_NONBLOCK prevents waiting for a writer of a FIFO; a socket cannot be opened at all.
int open_plain(const std::string& path) {
  const int file = plain(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file < 0 && errno == ENXIO) errno = EINVAL;
  return file;
}

std::optional<std::string> plain_content(const std::string& path, std::uint64_t most) {
  const int file = open_plain(path);
  if (file < 0) return std::nullopt;
  constexpr std::size_t kPiece = 1 << 16;
  std::string content;
  int error = 0;
  for (ssize_t got = 1; got != 0 && error == 0;) {
    const std::size_t had = content.size();
    content.resize(had + kPiece);
    got = read(file, content.data() + had, kPiece);
    if (got < 0 && errno != EINTR) error = errno;
    content.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (content.size() > most) error = EFBIG;
  }
  close(file);
  errno = error;
  return error == 0 ? std::optional(std::move(content)) : std::nullopt;
}

int make_plain(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (file >= 0) mend_mode(path);
  return file;
}

int write_plain(const std::string& path, std::string_view content) {
  return write_and_close(make_plain(path), content);
}

int append_plain(const std::string& path, std::string_view content) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  int file = plain(open(path.c_str(), flags, kMode));
  // ELOOP: a link. ENXIO: a FIFO without a reader.
  if (file < 0 && (errno == ELOOP || errno == ENXIO)) errno = EINVAL;
  if (file >= 0) mend_mode(path);
  return write_and_close(file, content);
}

}  // namespace latecomer
