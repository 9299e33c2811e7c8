// SPDX-License-Identifier: BSD-3-Clause
// Reserves with fallocate() beyond the end of a file; uses statvfs() where that is not supported.
#include "archive/otf2/room.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace latecomer::otf2 {
namespace {

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Size of the file; -1 if there is none.
  [[nodiscard]] off_t size() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? status.st_size : -1;
  }

 private:
  int descriptor_;
};

}  // namespace

int reserve(const std::string& path, std::uint64_t bytes) {
  const File file(path);
  const off_t size = file.size();
  if (size < 0) return 0;  // there is no file yet; its creator will see
  if (bytes <= static_cast<std::uint64_t>(size)) return 0;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) return EFBIG;
  const auto more = static_cast<off_t>(bytes) - size;
  if (fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, size, more) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  struct statvfs system {};
  if (fstatvfs(file.descriptor(), &system) != 0) return 0;
  const std::uint64_t room = std::uint64_t{system.f_bavail} * system.f_frsize;
  return room < static_cast<std::uint64_t>(more) ? ENOSPC : 0;
}

void release(const std::string& path) {
  const File file(path);
  const off_t size = file.size();
  if (size >= 0) static_cast<void>(ftruncate(file.descriptor(), size) == 0);
}

}  // namespace latecomer::otf2
