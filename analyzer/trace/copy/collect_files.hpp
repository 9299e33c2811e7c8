// SPDX-License-Identifier: BSD-3-Clause
// Operations of collect() on files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "archive/result.hpp"

namespace latecomer::trace {

// A directory that gets its name when it is complete. Until then its content is removed with the
// object.
class NewDirectory {
 public:
  // Makes the directory. Problems: something of that name exists, or it cannot be made.
  [[nodiscard]] static Result<NewDirectory> make(const std::filesystem::path& target);
  NewDirectory(NewDirectory&& other) noexcept;
  NewDirectory& operator=(NewDirectory&&) = delete;
  ~NewDirectory();

  // `name` is relative to the directory; its folders must exist.
  [[nodiscard]] Status add_folder(const std::string& name);
  [[nodiscard]] Status copy(const std::filesystem::path& from, const std::string& name);
  [[nodiscard]] Status write(const std::string& name, std::string_view bytes);

  // Gives the directory its name.
  [[nodiscard]] Status finish();

 private:
  explicit NewDirectory(std::filesystem::path target);
  [[nodiscard]] Problem problem(const std::string& name, const std::error_code& why) const;

  std::filesystem::path target_, temporary_;
};

// All bytes of a file; empty if there is no such file.
[[nodiscard]] std::string file_content(const std::filesystem::path& file);
[[nodiscard]] bool same_content(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace latecomer::trace
