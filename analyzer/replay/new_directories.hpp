// SPDX-License-Identifier: BSD-3-Clause
// A directory that the analysis processes fill together, one on each of their file systems.
#pragma once

#include <filesystem>

#include "analyzer/parallel/processes.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// It appears under its name when it is complete; what is there before goes with the object.
class NewDirectories {
 public:
  // Only a Problem if something of that name exists where a process looks. Collective.
  [[nodiscard]] static Status check(const std::filesystem::path& target,
                                    parallel::Processes& processes);
  // Makes a directory on each file system of the processes that write. Collective.
  [[nodiscard]] static Result<NewDirectories> make(const std::filesystem::path& target, bool writes,
                                                   parallel::Processes& processes);
  NewDirectories(NewDirectories&& other) noexcept;
  NewDirectories& operator=(NewDirectories&&) = delete;
  ~NewDirectories();

  // Where to write until it is complete.
  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // Place of this process among those of its file system; the first one made the directory. -1: it
  // does not write.
  [[nodiscard]] int place() const { return place_; }
  [[nodiscard]] int number() const { return number_; }  // of directories

  // `mine` tells whether this process could write its part: if all could, the directories get their
  // names. Collective.
  [[nodiscard]] Status finish(const Status& mine, parallel::Processes& processes);

 private:
  NewDirectories() = default;
  [[nodiscard]] Problem problem(const std::error_code& why) const;

  std::filesystem::path target_, temporary_;
  int place_ = -1;
  int number_ = 0;
};

}  // namespace latecomer::replay
