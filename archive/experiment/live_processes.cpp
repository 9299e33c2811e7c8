// SPDX-License-Identifier: BSD-3-Clause
// Finds recording processes by the files that they have mapped, which the kernel lists.
#include "archive/experiment/live_processes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include "archive/layout.hpp"
#include "archive/shell_word.hpp"

namespace latecomer {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{50};
constexpr int kPauses = 60;  // 3 s in total

enum class Maps : std::uint8_t { kYes, kNo, kNotShown };

// Only processes of the owner of the records matter. Those of others are never shown, and there
// always are some. If the owner is this user, those that are refused have more rights than it has.
Maps maps(const fs::path& process, const std::string& folder, uid_t owner,
          std::set<std::uint32_t>& ranks) {
  errno = 0;
  std::ifstream list(process / "maps");
  if (!list.is_open()) {
    const int error = errno;
    if (error == ENOENT || error == ESRCH) return Maps::kNo;  // it has ended
    struct stat about {};
    const bool is_known = stat(process.c_str(), &about) == 0;
    const bool may_be = is_known && about.st_uid == owner && owner != geteuid();
    const bool is_refused = error == EACCES || error == EPERM;
    return is_refused && !may_be ? Maps::kNo : Maps::kNotShown;
  }
  for (std::string line; std::getline(list, line);) {
    const auto at = line.find(folder);
    if (at == std::string::npos) continue;
    // RANK.def or RANK.THREAD.rec
    const std::string_view name = std::string_view(line).substr(at + folder.size());
    std::uint32_t rank = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (wrong == std::errc() && end != name.data() + name.size() && *end == '.') ranks.insert(rank);
    return Maps::kYes;
  }
  return Maps::kNo;
}

}  // namespace

std::string own_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

ProcessLook look_for_processes(const std::string& experiment) {
  std::error_code error;
  const auto path = fs::path(experiment) / layout::kRecords;
  // The name is complete even if the folder was removed meanwhile; its files may still be mapped.
  const auto folder = fs::weakly_canonical(path, error).string() + '/';
  ProcessLook look;
  if (error) return {{}, {}, false};
  std::set<std::uint32_t> ranks;
  struct stat about {};
  const uid_t owner = stat(path.c_str(), &about) == 0 ? about.st_uid : geteuid();
  look.all_seen = geteuid() == 0 || geteuid() == owner;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || rest != name.data() + name.size() || pid == getpid()) continue;
    const Maps it = maps(at->path(), folder, owner, ranks);
    if (it == Maps::kYes) look.found.push_back(pid);
    look.all_seen = look.all_seen && it != Maps::kNotShown;
  }
  look.all_seen = look.all_seen && !error;
  std::ranges::sort(look.found);
  look.ranks = {ranks.begin(), ranks.end()};
  return look;
}

std::vector<pid_t> live_processes(const std::string& experiment) {
  return look_for_processes(experiment).found;
}

std::vector<pid_t> lasting_processes(const std::string& experiment) {
  std::vector<pid_t> found = live_processes(experiment);
  for (int i = 0; i < kPauses && !found.empty(); ++i) {
    std::this_thread::sleep_for(kPause);
    found = live_processes(experiment);
  }
  return found;
}

Problem still_going(const std::string& experiment, const std::vector<pid_t>& processes) {
  return {
      experiment + ": the run is still going: process " + std::to_string(processes.front()) +
          (processes.size() > 1 ? " and others record" : " records") + " into it",
      "wait for its end, or end it; latecomer watch " + shell_word(experiment) + " shows it now"};
}

std::optional<Problem> still_going(const std::string& experiment) {
  const std::vector<pid_t> found = live_processes(experiment);
  return found.empty() ? std::nullopt : std::optional(still_going(experiment, found));
}

}  // namespace latecomer
