// SPDX-License-Identifier: BSD-3-Clause
// Allocates, maps and populates pieces of a file, which is open only during each operation.
#include "tracer/record/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "archive/first_umask.hpp"

namespace latecomer::record {
namespace {

// Closes the descriptor at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool ok() const { return number_ >= 0; }

  // Closes and reports errors: network file systems report a full disk only on close.
  [[nodiscard]] int close_now() {
    const int result = close(number_) == 0 ? 0 : errno;
    number_ = -1;
    return result;
  }

 private:
  int number_;
};

// True if the file would exceed its size limit; the kernel would then send SIGXFSZ.
bool over_limit(std::size_t end) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         end > limit.rlim_cur;
}

}  // namespace

int MappedFile::create(std::string path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.ok()) return errno;
  mend_mode(path);
  path_ = std::move(path);
  return 0;
}

Mapping MappedFile::map(std::size_t offset, std::size_t bytes, int& error) const {
  if (over_limit(offset + bytes)) {
    error = EFBIG;
    return {};
  }
  const Descriptor file(open(path_->c_str(), O_RDWR | O_CLOEXEC));
  if (!file.ok()) {
    error = errno;
    return {};
  }
  do {
    error = posix_fallocate(file.number(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) return {};
  Mapping mapping =
      Mapping::of_file(file.number(), offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED);
  error = mapping ? mapping.populate() : errno;
  return error == 0 ? std::move(mapping) : Mapping();
}

int MappedFile::write(std::size_t offset, const std::byte* from, std::size_t bytes) const {
  if (over_limit(offset + bytes)) return EFBIG;
  Descriptor file(open(path_->c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.ok()) return errno;
  int error = 0;
  for (std::size_t done = 0; done < bytes && error == 0;) {
    const ssize_t wrote =
        pwrite(file.number(), from + done, bytes - done, static_cast<off_t>(offset + done));
    if (wrote > 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (wrote == 0 || errno != EINTR) {
      error = wrote == 0 ? ENOSPC : errno;
    }
  }
  if (error == 0) error = file.close_now();
  if (error != 0) trim(offset);
  return error;
}

int MappedFile::trim(std::size_t bytes) const {
  return truncate(path_->c_str(), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

}  // namespace latecomer::record
