// SPDX-License-Identifier: BSD-3-Clause
// What collect() does to files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "archive/result.hpp"

namespace latecomer::trace {

// A directory that appears under its name when it is complete; what is there before goes with the
// object.
class NewDirectory {
 public:
  // Problems: something of that name exists, or it cannot be made.
  [[nodiscard]] static Result<NewDirectory> make(const std::filesystem::path& target);
  NewDirectory(NewDirectory&& other) noexcept;
  NewDirectory& operator=(NewDirectory&&) = delete;
  ~NewDirectory();

  // `name` is relative to the directory, with folders that exist.
  [[nodiscard]] Status add_folder(const std::string& name);
  [[nodiscard]] Status copy(const std::filesystem::path& from, const std::string& name);
  [[nodiscard]] Status write(const std::string& name, std::string_view bytes);

  [[nodiscard]] Status finish();

 private:
  explicit NewDirectory(std::filesystem::path target);
  [[nodiscard]] Problem problem(const std::string& name, const std::error_code& why) const;

  std::filesystem::path target_, temporary_;
};

// All bytes; empty where there is no such file.
[[nodiscard]] std::string file_content(const std::filesystem::path& file);
[[nodiscard]] bool same_content(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace latecomer::trace
