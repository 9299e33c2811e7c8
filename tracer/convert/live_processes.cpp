// SPDX-License-Identifier: BSD-3-Clause
// The kernel lists the files that a process has mapped.
#include "tracer/convert/live_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "archive/layout.hpp"

namespace latecomer::convert {
namespace {

namespace fs = std::filesystem;

bool maps(const fs::path& process, const std::string& folder) {
  std::ifstream list(process / "maps");
  for (std::string line; std::getline(list, line);) {
    if (line.find(folder) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<pid_t> live_processes(const std::string& experiment) {
  std::error_code error;
  const auto folder = fs::canonical(fs::path(experiment) / layout::kRecords, error).string() + '/';
  std::vector<pid_t> found;
  if (error) return found;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || rest != name.data() + name.size() || pid == getpid()) continue;
    if (maps(at->path(), folder)) found.push_back(pid);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace latecomer::convert
