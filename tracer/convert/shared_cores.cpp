// SPDX-License-Identifier: BSD-3-Clause
// Compares threads with cores. A text in a log that is no list of cores counts as unknown.
#include "tracer/convert/shared_cores.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "archive/layout.hpp"
#include "archive/thread_layout.hpp"

namespace latecomer::convert {
namespace {

constexpr std::uint32_t kMostCores = 1 << 16;

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Adds the cores in a list such as "0-3,8"; false: it is no list.
bool add_cores(std::string_view text, std::set<std::uint32_t>& cores) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostCores) return false;
    for (auto core = *first; core <= *last; ++core) cores.insert(core);
  }
  return true;
}

}  // namespace

void SharedCores::add(const record::Definitions& log) {
  std::string_view cores;
  std::string_view inside;
  std::uint64_t threads = 1, threads_off = 0;
  bool recorded = false;
  for (const auto& property : log.properties) {
    if (property.name == layout::kLogCores) cores = property.value;  // the last one counts
    if (property.name == layout::kLogTeams) recorded = true;
    if (property.name == layout::kLogOpenMpThreads) {
      threads = std::max(1U, whole_number(property.value).value_or(1));
    }
    if (property.name == layout::kLogOpenMpInside) inside = property.value;
    if (property.name == layout::kLogThreadsOff) {
      threads_off = whole_number(property.value).value_or(0);
    }
  }
  if (threads_off > 1) {
    off_.add(threads_off);
  } else if (threads > 1 && (!recorded || !inside.empty())) {
    openmp_.add(threads);
    if (!inside.empty()) openmp_inside_ = inside;
  }
  const auto blank = cores.rfind(' ');
  if (blank == std::string_view::npos) return;
  std::set<std::uint32_t> own;
  if (!add_cores(cores.substr(blank + 1), own) || own.empty()) return;
  Machine& machine = machines_[std::string(cores.substr(0, blank))];
  ++machine.ranks;
  machine.threads += threads;
  machine.cores.merge(own);
}

std::vector<std::pair<std::string, std::string>> SharedCores::properties() const {
  std::vector<std::pair<std::string, std::string>> found;
  const auto put = [&](const char* name, std::uint64_t value) {
    found.emplace_back(name, std::to_string(value));
  };
  std::uint64_t cores = 0, shared = 0;
  const Machine* worst = nullptr;
  for (const auto& [name, one] : machines_) {
    cores += one.cores.size();
    if (one.threads <= one.cores.size()) continue;
    ++shared;
    // Compares threads per core without a division.
    if (worst == nullptr || one.threads * worst->cores.size() > worst->threads * one.cores.size()) {
      worst = &one;
    }
  }
  if (!machines_.empty()) {
    put(layout::kPropertyMachines, machines_.size());
    put(layout::kPropertyCores, cores);
  }
  if (worst != nullptr) {
    put(layout::kPropertySharedMachines, shared);
    put(layout::kPropertySharedRanks, worst->ranks);
    put(layout::kPropertySharedThreads, worst->threads);
    put(layout::kPropertySharedCores, worst->cores.size());
  }
  if (openmp_.processes != 0) {
    put(layout::kPropertyOpenMpProcesses, openmp_.processes);
    put(layout::kPropertyOpenMpThreads, openmp_.most_threads);
  }
  if (!openmp_inside_.empty()) found.emplace_back(layout::kPropertyOpenMpInside, openmp_inside_);
  if (off_.processes != 0) {
    put(layout::kPropertyOffProcesses, off_.processes);
    put(layout::kPropertyOffThreads, off_.most_threads);
  }
  return found;
}

}  // namespace latecomer::convert
