// SPDX-License-Identifier: BSD-3-Clause
// Copies files into a directory that gets its name at the end.
#include "analyzer/trace/collect_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "archive/plain_file.hpp"

namespace latecomer::trace {
namespace fs = std::filesystem;

NewDirectory::NewDirectory(fs::path target) : target_(std::move(target)) {
  temporary_ = target_;
  temporary_ += ".part" + std::to_string(getpid());
}

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
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
    return Problem{path.string() + " exists already", "name a new directory: -o DIRECTORY",
                   Exit::kUsage};
  }
  NewDirectory made(path);
  fs::create_directories(path.parent_path(), error);
  if (!path.has_parent_path()) error.clear();
  if (!error) fs::create_directory(made.temporary_, error);
  if (error) return made.problem("", error);
  return made;
}

Status NewDirectory::add_folder(const std::string& name) {
  std::error_code error;
  fs::create_directory(temporary_ / name, error);
  return error ? Status(problem(name, error)) : success();
}

Status NewDirectory::copy(const fs::path& from, const std::string& name) {
  std::error_code error;
  if (!fs::is_regular_file(from, error)) {
    return Problem{"cannot read " + from.string() + ": " +
                       (error ? error.message() : std::string("not a file")),
                   "copy the part again from where it was written"};
  }
  fs::copy_file(from, temporary_ / name, error);
  if (!error) return success();
  return Problem{
      "cannot copy " + from.string() + " to " + (target_ / name).string() + ": " + error.message(),
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
  std::error_code error;
  if (!fs::is_regular_file(a, error) || !fs::is_regular_file(b, error)) return false;
  constexpr std::size_t kStep = 1 << 16;
  std::ifstream in_a(a, std::ios::binary), in_b(b, std::ios::binary);
  if (!in_a || !in_b) return false;
  std::array<char, kStep> from_a{}, from_b{};
  for (;;) {
    in_a.read(from_a.data(), kStep);
    in_b.read(from_b.data(), kStep);
    const auto count = in_a.gcount();
    if (count != in_b.gcount()) return false;
    if (!std::equal(from_a.begin(), from_a.begin() + count, from_b.begin())) return false;
    if (count < static_cast<std::streamsize>(kStep)) return true;
  }
}

}  // namespace latecomer::trace
