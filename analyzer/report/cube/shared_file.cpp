// SPDX-License-Identifier: BSD-3-Clause
// Creates, fills and renames the shared file. The lowest process that sees the directory makes the
// file. Its name contains a random number, so a process that can open it must be on the same file
// system.
#include "analyzer/report/cube/shared_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/parallel/agreement.hpp"

namespace latecomer::report {
namespace {

namespace fs = std::filesystem;

fs::path directory_of(const fs::path& file) {
  return file.parent_path().empty() ? fs::path(".") : file.parent_path();
}

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// Reserves the space at once if the file system can, so that a full disk is noticed early. Returns
// 0 or an errno.
int reserve(int descriptor, std::uint64_t size) {
  const auto length = static_cast<off_t>(size);
  if (ftruncate(descriptor, length) != 0) return errno;
  if (fallocate(descriptor, 0, 0, length) == 0) return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

constexpr std::size_t kDigits = 16;
constexpr std::string_view kEnding = ".part";

// "report.cubex.0123456789abcdef.part"
std::string temporary_name(const std::string& file, std::uint64_t token) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(token));
  return file + '.' + digits + std::string(kEnding);
}

bool is_temporary_name(std::string_view name, std::string_view file) {
  if (name.size() != file.size() + 1 + kDigits + kEnding.size()) return false;
  if (!name.starts_with(file) || name[file.size()] != '.' || !name.ends_with(kEnding)) return false;
  return name.substr(file.size() + 1, kDigits).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

// Removes temporary files of processes that were killed: no process holds a lock on them.
void remove_abandoned(const fs::path& file) {
  std::error_code ignored;
  for (fs::directory_iterator at(directory_of(file), ignored), end; at != end;
       at.increment(ignored)) {
    if (ignored) return;
    if (!is_temporary_name(at->path().filename().string(), file.filename().string())) continue;
    const int descriptor = open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(at->path().c_str());
    close(descriptor);
  }
}

}  // namespace

SharedFile::SharedFile(SharedFile&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::move(other.temporary_)),
      processes_(other.processes_),
      writers_(std::move(other.writers_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      lock_(std::exchange(other.lock_, -1)),
      failure_(other.failure_),
      maker_(std::exchange(other.maker_, false)) {}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (maker_) unlink(temporary_.c_str());
  if (lock_ >= 0) close(lock_);
}

Problem SharedFile::problem(int code) const {
  std::string next = "write the report somewhere else with --output FILE";
  if (code == ENOSPC || code == EDQUOT) next = "make room there, or " + next;
  return {"cannot write " + file_.string() + ": " + std::strerror(code), next, Exit::kBadInput};
}

// Renaming a file to the name of a device would replace the device.
Status SharedFile::check_target() const {
  std::error_code ignored;
  const auto type = fs::status(file_, ignored).type();
  if (type == fs::file_type::directory) return problem(EISDIR);
  if (type == fs::file_type::regular || type == fs::file_type::not_found ||
      type == fs::file_type::none) {
    return success();
  }
  return Problem{"cannot write " + file_.string() + ": not a regular file",
                 "write the report somewhere else with --output FILE"};
}

Result<SharedFile> SharedFile::create(const fs::path& file, std::uint64_t size,
                                      parallel::Processes& processes, bool may_write) {
  SharedFile shared(file, processes);
  std::error_code ignored;
  const bool sees = may_write && fs::is_directory(directory_of(file), ignored);
  if (auto agreed = parallel::agree(processes, shared.check_target()); !agreed) {
    return agreed.problem();
  }
  const auto maker = processes.min(sees ? processes.rank() : processes.size());
  if (maker == processes.size()) return shared.problem(ENOENT);

  const auto token =
      processes.max(processes.rank() == maker ? static_cast<std::int64_t>(random_number() >> 1)
                                              : std::int64_t{0});
  shared.temporary_ = temporary_name(file.string(), static_cast<std::uint64_t>(token));

  Status made = success();
  if (processes.rank() == maker) {
    remove_abandoned(file);
    shared.descriptor_ = open(shared.temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR, 0666);
    shared.maker_ = shared.descriptor_ >= 0;
    // A second descriptor keeps the lock when the first one is closed. Without locks on this file
    // system abandoned files stay.
    if (shared.maker_ && flock(shared.descriptor_, LOCK_EX | LOCK_NB) == 0) {
      shared.lock_ = dup(shared.descriptor_);
    }
    const int code = shared.maker_ ? reserve(shared.descriptor_, size) : errno;
    if (code != 0) made = shared.problem(code);
  }
  if (auto agreed = parallel::agree(processes, made); !agreed) return agreed.problem();

  if (sees && processes.rank() != maker) {
    shared.descriptor_ = open(shared.temporary_.c_str(), O_RDWR);
  }
  std::vector<std::int64_t> writing(static_cast<std::size_t>(processes.size()));
  writing[static_cast<std::size_t>(processes.rank())] = shared.descriptor_ >= 0 ? 1 : 0;
  processes.sum(writing);
  for (int p = 0; p < processes.size(); ++p) {
    if (writing[static_cast<std::size_t>(p)] != 0) shared.writers_.push_back(p);
  }
  return shared;
}

void SharedFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty() && failure_ == 0) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written > 0) {
      offset += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (written == 0) {
      failure_ = EIO;
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
}

Status SharedFile::finish() {
  // Network file systems may report a full disk only here.
  if (descriptor_ >= 0 && close(std::exchange(descriptor_, -1)) != 0 && failure_ == 0) {
    failure_ = errno;
  }
  if (auto agreed = parallel::agree(*processes_, failure_ == 0 ? success() : problem(failure_));
      !agreed) {
    return agreed;
  }
  Status renamed = success();
  if (maker_) {
    if (std::rename(temporary_.c_str(), file_.c_str()) == 0) {
      maker_ = false;
    } else {
      renamed = problem(errno);
    }
  }
  return parallel::agree(*processes_, renamed);
}

}  // namespace latecomer::report
