// SPDX-License-Identifier: BSD-3-Clause
// A file that several processes write at once and that appears only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// Written under a temporary name beside its final one. Processes that cannot see that directory (it
// is on another machine's file system) take part in the collective calls and write nothing.
//
// The process that made the file holds a lock on it until it has its final name. So temporary files
// of killed processes are known, and the next run removes them.
class SharedFile {
 public:
  // Collective. A process with `may_write` false is treated like one that does not see the
  // directory. A Problem on all processes if no process sees the directory, or if the file cannot
  // be made there.
  [[nodiscard]] static Result<SharedFile> create(const std::filesystem::path& file,
                                                 std::uint64_t size, parallel::Processes& processes,
                                                 bool may_write = true);
  SharedFile(SharedFile&& other) noexcept;
  SharedFile& operator=(SharedFile&&) = delete;
  ~SharedFile();

  // Ranks of the processes that can write, ascending. The first of them made the file.
  [[nodiscard]] const std::vector<int>& writers() const { return writers_; }

  // Writes all bytes at `offset`. A failure is kept for finish(); later writes do nothing.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);

  // Collective. Gives the file its final name if all processes could write everything, otherwise
  // removes it.
  [[nodiscard]] Status finish();

 private:
  SharedFile(std::filesystem::path file, parallel::Processes& processes)
      : file_(std::move(file)), processes_(&processes) {}
  [[nodiscard]] Problem problem(int code) const;
  [[nodiscard]] Status check_target() const;

  std::filesystem::path file_, temporary_;
  parallel::Processes* processes_;
  std::vector<int> writers_;
  int descriptor_ = -1;
  int lock_ = -1;
  int failure_ = 0;  // errno of the first failure
  bool maker_ = false;
};

}  // namespace latecomer::report
