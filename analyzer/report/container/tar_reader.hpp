// SPDX-License-Identifier: BSD-3-Clause
// Reads the members of a tar archive on demand, as CUBE tools write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::report {

using MemberBytes = std::vector<std::byte>;

// An open archive. MT: one thread.
class TarReader {
 public:
  // Reads all headers. A Problem if the file does not exist, is not a CUBE 4 report, is damaged, or
  // is shorter than its headers say.
  [[nodiscard]] static Result<TarReader> open(const std::filesystem::path& file);
  TarReader(TarReader&& other) noexcept;
  TarReader& operator=(TarReader&& other) noexcept;
  ~TarReader();

  [[nodiscard]] bool has(const std::string& name) const { return members_.contains(name); }
  // Size of a member in bytes; 0 if it does not exist.
  [[nodiscard]] std::uint64_t size(const std::string& name) const;
  // The bytes of a member, at most the first `most`. A Problem if it does not exist.
  [[nodiscard]] Result<MemberBytes> read(const std::string& name,
                                         std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Member {
    std::uint64_t offset = 0, size = 0;
  };
  TarReader() = default;
  [[nodiscard]] Status walk(std::uint64_t file_size);
  [[nodiscard]] bool read_at(std::uint64_t offset, void* to, std::uint64_t bytes) const;

  std::string file_;
  int descriptor_ = -1;
  std::map<std::string, Member> members_;
};

// The Problem for a report whose content contradicts itself; `what` is the end of the sentence.
[[nodiscard]] Problem damaged(const std::string& file, const std::string& what);

}  // namespace latecomer::report
