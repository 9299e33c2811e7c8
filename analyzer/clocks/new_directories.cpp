// SPDX-License-Identifier: BSD-3-Clause
// The lowest process that sees no directory makes one; this repeats until all processes see one.
// The name has a random number, so a process that sees it is on the same file system.
#include "analyzer/clocks/new_directories.hpp"

#include <cstdio>
#include <random>
#include <system_error>
#include <utility>

#include "analyzer/parallel/agreement.hpp"

namespace latecomer::replay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kNext = "name a new directory where you may write: --write-corrected DIR";

// The path without a slash at its end.
fs::path normal(const fs::path& target) {
  const fs::path path = target.lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

NewDirectories::NewDirectories(NewDirectories&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      place_(std::exchange(other.place_, -1)),
      number_(other.number_) {}

NewDirectories::~NewDirectories() {
  std::error_code ignored;
  if (place_ == 0) fs::remove_all(temporary_, ignored);
}

Problem NewDirectories::problem(const std::error_code& why) const {
  return {"cannot write " + target_.string() + ": " + why.message(), kNext};
}

Status NewDirectories::check(const fs::path& target, parallel::Processes& processes) {
  std::error_code error;
  const fs::path path = normal(target);
  const auto type = fs::symlink_status(path, error).type();
  Status mine = success();
  if (type != fs::file_type::not_found) {
    mine = Problem{
        path.string() + (type == fs::file_type::none ? ": " + error.message() : " exists already"),
        kNext, Exit::kUsage};
  }
  return parallel::agree(processes, mine);
}

// In each round the lowest waiting process makes a directory, and all that see it stop waiting.
Result<NewDirectories> NewDirectories::make(const fs::path& target, bool writes,
                                            parallel::Processes& processes) {
  if (Status checked = check(target, processes); !checked) return checked.problem();
  NewDirectories out;
  out.target_ = normal(target);
  const auto random = static_cast<std::int64_t>(std::random_device()());
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%08llx.part",
                static_cast<unsigned long long>(processes.max(random)));
  out.temporary_ = out.target_;
  out.temporary_ += suffix;
  bool waiting = writes;
  for (;;) {
    const auto maker = processes.min(waiting ? processes.rank() : processes.size());
    if (maker == processes.size()) return out;
    std::error_code error;
    if (processes.rank() == maker) {
      if (out.target_.has_parent_path()) fs::create_directories(out.target_.parent_path(), error);
      if (!error) fs::create_directory(out.temporary_, error);
      if (!error) out.place_ = 0;
    }
    const Status made = error ? Status(out.problem(error)) : success();
    if (Status agreed = parallel::agree(processes, made); !agreed) return agreed.problem();
    ++out.number_;
    const bool sees = waiting && fs::is_directory(out.temporary_, error);
    std::vector<std::int64_t> seeing(static_cast<std::size_t>(processes.size()));
    seeing[static_cast<std::size_t>(processes.rank())] = sees ? 1 : 0;
    processes.sum(seeing);
    if (!sees) continue;
    waiting = false;
    out.place_ = 0;
    for (int p = 0; p < processes.rank(); ++p) {
      out.place_ += static_cast<int>(seeing[static_cast<std::size_t>(p)]);
    }
  }
}

Status NewDirectories::finish(const Status& mine, parallel::Processes& processes) {
  if (Status agreed = parallel::agree(processes, mine); !agreed) return agreed;
  Status named = success();
  if (place_ == 0) {
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) {
      named = problem(error);
    } else {
      place_ = -1;
    }
  }
  return parallel::agree(processes, named);
}

}  // namespace latecomer::replay
