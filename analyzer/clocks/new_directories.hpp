// SPDX-License-Identifier: BSD-3-Clause
// A directory that the analysis processes fill together, one on each of their file systems.
#pragma once

#include <filesystem>

#include "analyzer/parallel/processes.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// The directory gets its final name when it is complete. Until then the object removes it on
// destruction.
class NewDirectories {
 public:
  // A Problem if some process sees something of that name. Collective.
  [[nodiscard]] static Status check(const std::filesystem::path& target,
                                    parallel::Processes& processes);
  // Makes a directory on each file system of the processes that write. Collective.
  [[nodiscard]] static Result<NewDirectories> make(const std::filesystem::path& target, bool writes,
                                                   parallel::Processes& processes);
  NewDirectories(NewDirectories&& other) noexcept;
  NewDirectories& operator=(NewDirectories&&) = delete;
  ~NewDirectories();

  // Directory to write to until it is complete.
  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // Index of this process among those on its file system. Process 0 made the directory. -1: this
  // process does not write.
  [[nodiscard]] int place() const { return place_; }
  [[nodiscard]] int number() const { return number_; }  // number of directories

  // `mine`: whether this process could write its part. If all could, the directories get their
  // final names. Collective.
  [[nodiscard]] Status finish(const Status& mine, parallel::Processes& processes);

 private:
  NewDirectories() = default;
  [[nodiscard]] Problem problem(const std::error_code& why) const;

  std::filesystem::path target_, temporary_;
  int place_ = -1;
  int number_ = 0;
};

}  // namespace latecomer::replay
