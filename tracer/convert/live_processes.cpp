// SPDX-License-Identifier: BSD-3-Clause
// Finds recording processes by the files that they have mapped, which the kernel lists.
#include "tracer/convert/live_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "archive/layout.hpp"

namespace latecomer::convert {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{50};
constexpr int kPauses = 60;  // 3 s in total

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

std::vector<pid_t> lasting_processes(const std::string& experiment) {
  std::vector<pid_t> found = live_processes(experiment);
  for (int i = 0; i < kPauses && !found.empty(); ++i) {
    std::this_thread::sleep_for(kPause);
    found = live_processes(experiment);
  }
  return found;
}

}  // namespace latecomer::convert
