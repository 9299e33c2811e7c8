// SPDX-License-Identifier: BSD-3-Clause
// The members of a tar archive as CUBE tools write it, read on demand.
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

// MT: one thread.
class TarReader {
 public:
  // Reads all headers. Problems: no such file, not a CUBE 4 report, damaged, shorter than its
  // headers say.
  [[nodiscard]] static Result<TarReader> open(const std::filesystem::path& file);
  TarReader(TarReader&& other) noexcept;
  TarReader& operator=(TarReader&& other) noexcept;
  ~TarReader();

  [[nodiscard]] bool has(const std::string& name) const { return members_.count(name) != 0; }
  // Of a member that is there, else 0.
  [[nodiscard]] std::uint64_t size(const std::string& name) const;
  // The bytes of a member that is there: all, or the first ones.
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

// A report whose content contradicts itself: `what` is the end of the sentence.
[[nodiscard]] Problem damaged(const std::string& file, const std::string& what);

}  // namespace latecomer::report
