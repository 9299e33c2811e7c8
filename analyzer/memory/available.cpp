// SPDX-License-Identifier: BSD-3-Clause
// Reads limits of memory. Sources: proc_meminfo(5), cgroups(7), and the kernel's documentation of
// control groups, versions 1 and 2.
#include "analyzer/memory/available.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace latecomer::memory {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;  // for example "max"
}

// The number after a word at the beginning of a line.
std::optional<std::uint64_t> number_after(const fs::path& file, const std::string& word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first && first == word && words >> number) return number;
  }
  return std::nullopt;
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

// Each group above this one has its own limit.
std::uint64_t left_in_second_version(const fs::path& groups, fs::path group) {
  std::uint64_t least = kUnlimited;
  for (;; group = group.parent_path()) {
    const fs::path directory = groups / group.relative_path();
    if (const auto limit = number_in(directory / "memory.max")) {
      least = std::min(least,
                       left(*limit, number_after(directory / "memory.stat", "anon").value_or(0)));
    }
    if (!group.has_relative_path()) return least;
  }
}

std::uint64_t left_in_first_version(const fs::path& groups, const fs::path& group) {
  fs::path file = groups / "memory" / group.relative_path() / "memory.stat";
  // In a container only the host knows this path.
  if (!fs::exists(file)) file = groups / "memory" / "memory.stat";
  const auto limit = number_after(file, "hierarchical_memory_limit");
  if (!limit) return kUnlimited;
  return left(*limit, number_after(file, "total_rss").value_or(0));
}

}  // namespace

std::uint64_t available(const fs::path& proc, const fs::path& groups) {
  constexpr std::uint64_t kKib = 1024;
  std::uint64_t least = kUnlimited;
  if (const auto kib = number_after(proc / "meminfo", "MemAvailable:")) least = *kib * kKib;
  std::ifstream in(proc / "self" / "cgroup");
  for (std::string line; std::getline(in, line);) {
    // hierarchy:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, left_in_second_version(groups, group));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, left_in_first_version(groups, group));
    }
  }
  return least;
}

}  // namespace latecomer::memory
