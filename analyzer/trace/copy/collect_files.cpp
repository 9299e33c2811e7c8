// SPDX-License-Identifier: BSD-3-Clause
// Copies files into a directory that gets its name at the end.
#include "analyzer/trace/copy/collect_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "archive/plain_file.hpp"

namespace latecomer::trace {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kStep = std::size_t{1} << 18;  // bytes read at once

// A file that is read in steps. Holes are left out: a damaged file may consist of terabytes of
// them.
class Input {
 public:
  explicit Input(const fs::path& path) : file_(open_plain(path.string())) {
    struct stat status {};
    if (file_ < 0 || fstat(file_, &status) != 0) {
      error_ = errno;
    } else {
      size_ = status.st_size;
    }
  }
  ~Input() {
    if (file_ >= 0) close(file_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] off_t size() const { return size_; }
  // The first position from `from` on that lies in no hole; size() if there is none.
  [[nodiscard]] off_t data_from(off_t from) const {
    const off_t found = lseek(file_, from, SEEK_DATA);
    if (found < 0) return errno == ENXIO ? size_ : from;
    return std::min(found, size_);
  }
  // Up to kStep bytes; empty at the end and on an error.
  std::string_view read_at(off_t from) {
    buffer_.resize(kStep);
    ssize_t got = 0;
    do {
      got = pread(file_, buffer_.data(), buffer_.size(), from);
    } while (got < 0 && errno == EINTR);
    if (got < 0) error_ = errno;
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  int file_, error_ = 0;
  off_t size_ = 0;
  std::string buffer_;
};

// Returns 0 or an errno.
int write_at(int file, std::string_view bytes, off_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), at);
    if (written < 0 && errno != EINTR) return errno;
    if (written < 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
  return 0;
}

}  // namespace

NewDirectory::NewDirectory(fs::path target) : target_(std::move(target)) {}

NewDirectory::NewDirectory(NewDirectory&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Problem NewDirectory::problem(const std::string& name, const std::error_code& why) const {
  return {
      "cannot write " + (name.empty() ? target_ : target_ / name).string() + ": " + why.message(),
      "name a place with room where you may write: -o DIRECTORY"};
}

Result<NewDirectory> NewDirectory::make(const fs::path& target) {
  fs::path path = target.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type != fs::file_type::not_found) {
    return Problem{
        path.string() + (type == fs::file_type::none ? ": " + error.message() : " exists already"),
        "name a new directory: -o DIRECTORY", Exit::kUsage};
  }
  NewDirectory made(path);
  fs::create_directories(path.parent_path(), error);
  if (!path.has_parent_path()) error.clear();
  // Whatever has the temporary name already belongs to others, also if it is a link to a directory.
  fs::path temporary = path;
  temporary += ".part" + std::to_string(getpid());
  while (!error && !fs::create_directory(temporary, error)) {
    if (error == std::errc::file_exists) error.clear();
    temporary += "_";
  }
  if (error) return made.problem("", error);
  made.temporary_ = std::move(temporary);
  return made;
}

Status NewDirectory::add_folder(const std::string& name) {
  std::error_code error;
  fs::create_directory(temporary_ / name, error);
  return error ? Status(problem(name, error)) : success();
}

Status NewDirectory::copy(const fs::path& from, const std::string& name) {
  Input in(from);
  const int out = in.error() == 0 ? make_plain((temporary_ / name).string()) : -1;
  int error = out < 0 ? errno : 0;
  for (off_t at = 0; in.error() == 0 && error == 0 && (at = in.data_from(at)) < in.size();) {
    const std::string_view bytes = in.read_at(at);
    if (bytes.empty()) break;
    error = write_at(out, bytes, at);
    at += static_cast<off_t>(bytes.size());
  }
  if (in.error() == 0 && error == 0 && ftruncate(out, in.size()) != 0) error = errno;
  if (out >= 0 && close(out) != 0 && error == 0) error = errno;
  if (in.error() != 0) {
    return Problem{"cannot read " + from.string() + ": " + file_error(in.error()),
                   "copy the part again from where it was written"};
  }
  if (error == 0) return success();
  return Problem{"cannot copy " + from.string() + " to " + (target_ / name).string() + ": " +
                     std::generic_category().message(error),
                 "name a place with room where you may write: -o DIRECTORY"};
}

Status NewDirectory::write(const std::string& name, std::string_view bytes) {
  errno = 0;
  std::ofstream out(temporary_ / name, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return success();
  return problem(name, {errno != 0 ? errno : EIO, std::generic_category()});
}

Status NewDirectory::finish() {
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) return problem("", error);
  temporary_.clear();
  return success();
}

std::string file_content(const fs::path& file) { return plain_content(file).value_or(""); }

bool same_content(const fs::path& a, const fs::path& b) {
  Input in_a(a), in_b(b);
  if (in_a.error() != 0 || in_b.error() != 0 || in_a.size() != in_b.size()) return false;
  off_t at = 0;
  while ((at = std::min(in_a.data_from(at), in_b.data_from(at))) < in_a.size()) {
    const std::string_view bytes = in_a.read_at(at);
    if (bytes.empty() || bytes != in_b.read_at(at)) return false;
    at += static_cast<off_t>(bytes.size());
  }
  return true;
}

}  // namespace latecomer::trace
