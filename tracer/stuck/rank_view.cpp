// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of a run and the processes that write them.
#include "tracer/stuck/rank_view.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "archive/experiment/live_processes.hpp"
#include "archive/experiment/no_records.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "tracer/convert/process_records.hpp"

namespace latecomer::stuck {
namespace {

namespace fs = std::filesystem;

// Limits against garbage.
constexpr std::uint32_t kMostRanks = 1U << 24;
constexpr std::uint64_t kLargestLog = std::uint64_t{1} << 30;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Rank and thread of a name such as 12.0.rec; nothing for other names.
std::optional<std::pair<std::uint32_t, std::uint32_t>> record_file(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos || !name.ends_with(".rec")) return {};
  const auto rank = number(name.substr(0, dot));
  const auto thread = number(name.substr(dot + 1, name.size() - dot - 5));
  if (!rank || !thread || *rank >= kMostRanks) return {};
  return std::pair(*rank, *thread);
}

// Rank of a name such as 12.def.
std::optional<std::uint32_t> log_file(std::string_view name) {
  if (!name.ends_with(".def")) return {};
  const auto rank = number(name.substr(0, name.size() - 4));
  return rank && *rank < kMostRanks ? rank : std::nullopt;
}

// Processes by the ranks whose records they have mapped. Those of a program that is only watched
// may be elsewhere in memory, under other names, but its log is in the directory.
std::map<std::uint32_t, pid_t> processes_of(const std::string& directory) {
  std::map<std::uint32_t, pid_t> found;
  for (const pid_t process : live_processes(directory)) {
    std::ifstream list("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(list, line);) {
      const auto slash = line.rfind('/');
      if (slash == std::string::npos) continue;
      const auto name = std::string_view(line).substr(slash + 1);
      if (const auto file = record_file(name)) found.try_emplace(file->first, process);
      if (const auto rank = log_file(name)) found.try_emplace(*rank, process);
    }
  }
  return found;
}

void read_log(const std::string& records, RankView& view) {
  const auto text = plain_content(convert::log_path(records, view.rank), kLargestLog);
  if (!text) return;
  view.has_log = true;
  // The file is mapped, so zeros follow its last line.
  view.definitions = record::parse_definitions(std::string_view(*text).substr(0, text->find('\0')));
}

void read_threads(const std::string& records, RankView& view,
                  const std::vector<std::uint32_t>& threads) {
  for (const std::uint32_t thread : threads) {
    auto read = read_thread(convert::thread_path(records, view.rank, thread));
    if (!read) {
      view.problems.push_back(read.problem().what);
    } else {
      read->number = thread;
      view.threads.push_back(std::move(*read));
    }
  }
}

}  // namespace

std::uint64_t RankView::progress() const {
  std::uint64_t sum = definitions.complete ? 1 : 0;
  for (const ThreadView& thread : threads) sum += thread.progress;
  return sum;
}

Result<RunView> read_run(const std::string& directory) {
  const fs::path records = fs::path(directory) / layout::kRecords;
  std::map<std::uint32_t, std::vector<std::uint32_t>> files;
  std::error_code error;
  for (fs::directory_iterator entry(records, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (const auto file = record_file(name)) {
      files[file->first].push_back(file->second);
    } else if (const auto rank = log_file(name)) {
      files[*rank];
    }
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return Problem{records.string() + " cannot be read", hint_without_records(directory)};
  if (files.empty()) return without_records(directory);
  RunView run;
  const auto processes = processes_of(directory);
  const std::string host = own_host();
  for (auto& [rank, threads] : files) {
    RankView& view = run.ranks.emplace_back();
    view.rank = rank;
    std::ranges::sort(threads);
    read_log(records.string(), view);
    read_threads(records.string(), view, threads);
    const auto process = processes.find(rank);
    if (process != processes.end()) {
      view.life = Life::kRunning;
      view.process = process->second;
    } else if (view.has_log && view.definitions.node.host != host) {
      view.life = Life::kElsewhere;
    }
    const auto& stated = view.definitions.process;
    run.size = std::max(run.size, rank + 1);
    if (stated.rank == rank && stated.size <= kMostRanks)
      run.size = std::max(run.size, stated.size);
  }
  std::istringstream in(
      plain_content((records / layout::kEnded).string(), 4096).value_or(std::string()));
  in >> run.ended;
  return run;
}

std::vector<bool> moved_since(const std::string& directory, const RunView& run) {
  const std::string records = (fs::path(directory) / layout::kRecords).string();
  const auto processes = processes_of(directory);
  std::vector<bool> moved;
  for (const RankView& before : run.ranks) {
    RankView now;
    now.rank = before.rank;
    std::vector<std::uint32_t> threads;
    for (const ThreadView& thread : before.threads) threads.push_back(thread.number);
    read_threads(records, now, threads);
    now.definitions.complete = before.definitions.complete;
    moved.push_back(now.progress() != before.progress() ||
                    (before.life == Life::kRunning && !processes.contains(before.rank)));
  }
  return moved;
}

}  // namespace latecomer::stuck
