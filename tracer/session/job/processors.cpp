// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc; nothing in here fails. An OpenMP runtime may have bound its threads, including the
// first one. Therefore the cores of a process are those of all its threads.
#include "tracer/session/job/processors.hpp"

#include <sched.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "tracer/session/job/identity.hpp"

namespace latecomer::session {
namespace {

constexpr std::size_t kMostCores = 1 << 16;
constexpr std::size_t kMostThreads = 4096;  // limit for the threads that are inspected

// Calls f(id of a thread) for each thread, as long as it returns true.
template <typename F>
void for_each_thread(F&& f) {
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/self/task", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (!f(id)) break;
  }
}

// Formats a set of cores: "0-3,8".
std::string ranges(const std::vector<bool>& used) {
  std::string text;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const std::size_t first = i;
    while (i + 1 < used.size() && used[i + 1]) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (i > first) text += '-' + std::to_string(i);
  }
  return text;
}

}  // namespace

std::string cores() {
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
  std::vector<cpu_set_t> set(bytes / sizeof(cpu_set_t) + 1);
  std::vector<bool> used(kMostCores);
  std::size_t threads = 0;
  for_each_thread([&](pid_t thread) {
    std::memset(set.data(), 0, bytes);
    if (sched_getaffinity(thread, bytes, set.data()) == 0) {
      for (std::size_t i = 0; i < kMostCores; ++i) {
        if (CPU_ISSET_S(i, bytes, set.data())) used[i] = true;
      }
    }
    return ++threads < kMostThreads;
  });
  const std::string all = ranges(used);
  if (all.empty()) return "";
  // The node from the settings may be made up, so the machine's own id is used.
  std::string machine;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> machine;
  return (machine.empty() ? host_name() : machine) + ' ' + all;
}

std::string cores_in(const cpu_set_t& set) {
  std::vector<bool> used(CPU_SETSIZE);
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = CPU_ISSET(i, &set);
  return ranges(used);
}

std::uint32_t thread_count() {
  std::uint32_t count = 0;
  for_each_thread([&](pid_t) { return ++count < UINT32_MAX; });
  return count == 0 ? 1 : count;
}

}  // namespace latecomer::session
