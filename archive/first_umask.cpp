// SPDX-License-Identifier: BSD-3-Clause
// Reads the umask from /proc, because any other way of asking for it changes it.
#include "archive/first_umask.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace latecomer {
namespace {

constexpr mode_t kUnknown = ~mode_t{0};
mode_t first_umask = kUnknown;  // static: a fact about the process, not about its measurement

mode_t umask_now() noexcept {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return kUnknown;
  std::array<char, 256> text{};  // the second line, after a name of at most 64 characters
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  const char* const line = length > 0 ? std::strstr(text.data(), "\nUmask:") : nullptr;
  return line == nullptr ? kUnknown : static_cast<mode_t>(std::strtoul(line + 7, nullptr, 8));
}

}  // namespace

void note_first_umask() noexcept {
  const int saved = errno;
  first_umask = umask_now();
  errno = saved;
}

// The umask is unchanged if the directory itself gives its files other modes (access control
// lists); then their modes are kept.
void mend_mode(const std::string& path) noexcept {
  if (first_umask == kUnknown) return;
  const int saved = errno;
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
    const mode_t all = S_ISDIR(status.st_mode) ? 0777 : 0666;
    const mode_t wanted = all & ~first_umask;
    if ((status.st_mode & 0777) != wanted && umask_now() != first_umask) {
      static_cast<void>(chmod(path.c_str(), (status.st_mode & 07000) | wanted));
    }
  }
  errno = saved;
}

bool make_directory(const std::string& path, std::error_code& error) {
  const bool made = std::filesystem::create_directory(path, error);
  if (made) mend_mode(path);
  return made;
}

bool make_directories(const std::string& path, std::error_code& error) {
  const std::filesystem::path whole(path);
  if (std::filesystem::is_directory(whole, error)) return false;
  const auto above = whole.parent_path();
  if (!above.empty() && above != whole) make_directories(above.string(), error);
  return make_directory(path, error);
}

}  // namespace latecomer
