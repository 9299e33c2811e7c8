// SPDX-License-Identifier: BSD-3-Clause
// Reads records, then the definitions that they refer to, then tells the calls.
#include "tracer/watch/live/run_follower.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/live_processes.hpp"
#include "tracer/convert/process_records.hpp"

namespace latecomer::watch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherRelease = "its records were made by another release";
constexpr std::uint32_t kMostRanks = 1U << 24;
// Calls of a process that wait for the definition of a communicator by another process.
constexpr std::size_t kMostWaitingCalls = 1 << 15;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string own_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

patterns::CallKind kind_of(std::uint32_t region) {
  static const std::vector<patterns::CallKind> kinds = [] {
    std::vector<patterns::CallKind> all;
    for (const auto& function : convert::mpi_functions())
      all.push_back(patterns::call_kind(function.name));
    return all;
  }();
  return region < kinds.size() ? kinds[region] : patterns::CallKind::kOther;
}

}  // namespace

RunFollower::~RunFollower() = default;

Result<std::unique_ptr<RunFollower>> RunFollower::open(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Problem{"there is no directory " + directory,
                   "name the directory that scan makes for the run: an experiment"};
  }
  auto run = std::unique_ptr<RunFollower>(new RunFollower(directory));
  run->find_files();
  if (run->processes_.empty()) {
    const bool is_over = fs::exists(fs::path(directory) / layout::kAnchor, error);
    return Problem{(fs::path(directory) / layout::kRecords).string() + " has no records",
                   is_over ? "the run has ended and its trace is complete: latecomer show tells "
                             "where it waited"
                           : "name the directory of an experiment that is being recorded; without "
                             "call of MPI_Init there is nothing"};
  }
  // Definitions are read here only to see who made them: the watcher has to be told all of them.
  Watcher nobody;
  for (auto& [rank, process] : run->processes_) {
    static_cast<void>(run->read_definitions(process, nobody));
    if (process.about.not_followed != kOtherRelease) continue;
    return Problem{"the records of rank " + std::to_string(rank) +
                       " were made by another release of Latecomer than this one",
                   "use the latecomer of the library that records them"};
  }
  auto fresh = std::unique_ptr<RunFollower>(new RunFollower(directory));
  fresh->find_files();
  return fresh;
}

void RunFollower::find_files() {
  const std::string records = (fs::path(directory_) / layout::kRecords).string();
  std::error_code error;
  for (fs::directory_iterator entry(records, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto dot = name.find('.');
    if (dot == std::string::npos) continue;
    const auto rank = number(std::string_view(name).substr(0, dot));
    if (!rank || *rank >= kMostRanks) continue;
    const auto process = [&]() -> Process& {
      Process& one = processes_[*rank];
      one.about.rank = *rank;
      if (one.log.empty()) one.log = convert::log_path(records, *rank);
      return one;
    };
    if (name.substr(dot) == ".def") {
      static_cast<void>(process());
      continue;
    }
    if (!name.ends_with(".rec") || name.size() < dot + 5) continue;
    const auto thread = number(std::string_view(name).substr(dot + 1, name.size() - dot - 5));
    if (thread) process().threads[*thread].path = entry->path().string();
  }
}

bool RunFollower::read_definitions(Process& process, Watcher& watcher) {
  if (!process.definitions) {
    auto opened = follow::DefinitionFollower::open(process.log);
    if (!opened) return false;
    process.definitions.emplace(std::move(*opened));
  }
  bool is_new = false;
  constexpr int kMostBatches = 64;
  for (int i = 0; i < kMostBatches; ++i) {
    const auto batch = process.definitions->poll();
    const record::Definitions& d = batch.definitions;
    is_new = is_new || batch.lines != 0;
    FollowedProcess& about = process.about;
    if (d.process.size != 0 && d.process.size <= kMostRanks) {
      if (d.process.size > size_) {
        size_ = d.process.size;
        comms_.set_size(size_);
        watcher.define(RunComms::kWorld, comms_[RunComms::kWorld].members);
      }
    }
    if (!d.node.identity.empty()) {
      about.node = d.node.identity;
      about.host = d.node.host;
      const auto [node, is_first] =
          node_numbers_.try_emplace(about.node, static_cast<std::uint32_t>(nodes_.size()));
      if (is_first) nodes_.push_back(about.host);
      about.node_index = node->second;
    }
    if (!d.node.identity.empty() || !d.metahost.name.empty()) {
      const auto metahost =
          metahosts_.try_emplace(d.metahost.id, static_cast<std::uint32_t>(metahosts_.size()));
      watcher.set_place(about.rank, about.node_index, metahost.first->second);
    }
    if (!d.clock.timer.empty()) {
      about.clock = d.clock;
      about.has_clock = true;
    }
    if (program_.empty() && !d.program.path.empty()) {
      program_ = fs::path(d.program.path).filename().string();
      for (const auto& word : d.program.arguments) program_ += ' ' + word;
    }
    for (const auto& property : d.properties) {
      if (property.name == convert::kMpiTableProperty &&
          property.value != convert::mpi_table_name())
        about.not_followed = kOtherRelease;
    }
    for (const CommId comm : comms_.add(about.rank, d)) {
      const RunComm& one = comms_[comm];
      if (one.remote.empty()) watcher.define(comm, one.members);
    }
    process.frames.add(d);
    about.complete = about.complete || d.complete;
    if (!batch.more) break;
  }
  if (!process.checked && process.about.has_clock && !process.about.host.empty()) {
    process.checked = true;
    check(process);
    if (!process.about.not_followed.empty()) watcher.leave_out(process.about.rank);
  }
  return is_new;
}

// Decides whether the records of a process can be read and compared with those of the others.
void RunFollower::check(Process& process) {
  FollowedProcess& about = process.about;
  if (!about.not_followed.empty()) return;
  if (absent_.contains(about.rank)) {
    about.not_followed = "its records came after those of others";
    return;
  }
  if (about.host != own_host()) {
    about.not_followed = "it runs on another host, " + about.host;
    return;
  }
  if (!clock_) clock_ = about.clock.leader;
  if (about.clock.leader != *clock_) about.not_followed = "it has a clock of its own";
}

bool RunFollower::read_records(Process& process) {
  bool more = false;
  bool all_ended = !process.threads.empty();
  for (auto& [id, thread] : process.threads) {
    if (!thread.records) {
      auto opened = follow::RecordFollower::open(thread.path);
      if (!opened) {
        all_ended = all_ended && gone_;
        continue;
      }
      thread.records.emplace(std::move(*opened));
      thread.is_thread = thread.records->header().kind == record::LocationKind::kThread;
      thread.decoder.emplace(process.about.clock);
    }
    if (!thread.is_thread || thread.ended) continue;
    if (gone_) thread.records->writer_is_gone();
    const auto on_call = [&](DecodedCall&& call) {
      process.items.push_back({std::move(call), false});
    };
    // A loss is known before the records after it are delivered.
    if (thread.records->lost_records() != thread.lost) {
      thread.lost = thread.records->lost_records();
      thread.decoder->lose();
      process.items.push_back({{}, true});
    }
    const auto batch =
        thread.records->poll([&](const record::Record& r) { thread.decoder->take(r, on_call); });
    counts_.records += static_cast<std::int64_t>(batch.records);
    more = more || batch.more;
    thread.ended = thread.records->ended() && gone_;
    all_ended = all_ended && (thread.records->ended() || thread.ended);
  }
  process.about.ended = all_ended && !more;
  return more;
}

bool RunFollower::is_resolved(const Process& process, const DecodedCall& call) const {
  return std::ranges::all_of(call.operations, [&](const Operation& operation) {
    using enum Operation::Kind;
    if (operation.kind == kSendEnds || operation.kind == kReceiveBegins ||
        operation.kind == kCancelled || operation.kind == kCollectiveBegins) {
      return true;
    }
    const CommId comm = comms_.find(process.about.rank, operation.comm);
    return comm != kNone && comms_[comm].known;
  });
}

// Replaces the ids of the process. False: nothing can be said of the operation.
bool RunFollower::resolve(const Process& process, Operation& operation) const {
  using enum Operation::Kind;
  const Rank rank = process.about.rank;
  switch (operation.kind) {
    case kSendEnds:
    case kReceiveBegins:
    case kCancelled:
    case kCollectiveBegins:
      return true;
    default:
      break;
  }
  const CommId comm = comms_.find(rank, operation.comm);
  if (comm == kNone) return false;
  operation.comm = comm;
  if (operation.kind == kCollectivesMissing) return true;
  const RunComm& one = comms_[comm];
  if (operation.kind == kCollective) {
    const bool has_root = operation.peer < one.members.size() && one.remote.empty();
    operation.peer = has_root ? one.members[operation.peer] : kNone;
    return true;
  }
  operation.peer = comms_.world_rank(comm, rank, operation.peer);
  return operation.peer != kNone;
}

void RunFollower::tell_call(Process& process, Watcher& watcher, DecodedCall& call) {
  std::erase_if(call.operations, [&](Operation& operation) {
    if (resolve(process, operation)) return false;
    ++counts_.unknown_comm;
    // A receive that was posted does not hold back later ones.
    const bool is_receive = operation.kind == Operation::Kind::kReceive ||
                            operation.kind == Operation::Kind::kReceivesMissing;
    if (is_receive && operation.request != 0) {
      operation.kind = Operation::Kind::kCancelled;
      return false;
    }
    return true;
  });
  CallEvent event;
  event.rank = process.about.rank;
  event.path = paths_.number(process.frames, call.frame, call.region);
  event.kind = kind_of(call.region);
  event.enter = call.enter;
  event.leave = call.leave;
  event.inside = call.inside;
  event.operations = call.operations;
  watcher.take(event);
}

void RunFollower::tell(Process& process, Watcher& watcher) {
  // Threads of a process were read one after the other.
  if (process.threads.size() > 1 &&
      std::ranges::none_of(process.items, [](const Item& item) { return item.is_loss; })) {
    std::ranges::stable_sort(process.items, {}, [](const Item& item) { return item.call.leave; });
  }
  while (!process.items.empty()) {
    Item& item = process.items.front();
    const bool give_up = gone_ || process.items.size() > kMostWaitingCalls;
    if (!item.is_loss && !give_up && !is_resolved(process, item.call)) return;
    if (item.is_loss) {
      watcher.lose(process.about.rank);
    } else {
      tell_call(process, watcher, item.call);
    }
    process.items.pop_front();
  }
}

// A process logs its clock after all processes have opened their files. So those that have none
// then have none at all, and their partners shall not wait for them.
void RunFollower::look_for_clocks(Watcher& watcher) {
  const auto look = [&] {
    bool any = false;
    for (auto& [rank, process] : processes_) {
      if (!process.checked) static_cast<void>(read_definitions(process, watcher));
      any = any || process.checked;
    }
    return any;
  };
  if (!look() || listed_) return;
  listed_ = true;
  // Here nobody waited for the others.
  std::error_code error;
  if (fs::exists(fs::path(directory_) / layout::kRecords / layout::kApart, error)) return;
  find_files();
  static_cast<void>(look());
  for (Rank rank = 0; rank < size_; ++rank) {
    if (processes_.contains(rank)) continue;
    absent_.insert(rank);
    watcher.leave_out(rank);
  }
}

bool RunFollower::poll(Watcher& watcher) {
  if (!gone_) find_files();
  bool more = false;
  look_for_clocks(watcher);
  for (auto& [rank, process] : processes_) {
    if (!process.checked || !process.about.not_followed.empty()) continue;
    more = read_records(process) || more;
  }
  // A record may refer to any definition that was written before it.
  for (auto& [rank, process] : processes_) {
    if (process.checked) static_cast<void>(read_definitions(process, watcher));
  }
  for (auto& [rank, process] : processes_) tell(process, watcher);
  return more;
}

void RunFollower::look_for_processes() {
  if (!gone_) gone_ = convert::live_processes(directory_).empty();
}

bool RunFollower::ended() const {
  if (processes_.empty()) return gone_;
  const bool all = std::ranges::all_of(processes_, [&](const auto& one) {
    const FollowedProcess& about = one.second.about;
    return about.ended || !about.not_followed.empty() || (gone_ && !one.second.checked);
  });
  return all && (gone_ || processes_.size() >= size_);
}

std::vector<FollowedProcess> RunFollower::processes() const {
  std::vector<FollowedProcess> all;
  for (const auto& [rank, process] : processes_) {
    FollowedProcess about = process.about;
    for (const auto& [number, thread] : process.threads) {
      if (thread.is_thread) about.threads.push_back(number);
    }
    all.push_back(std::move(about));
  }
  return all;
}

FollowCounts RunFollower::counts() const {
  FollowCounts all = counts_;
  for (const auto& [rank, process] : processes_) {
    for (const auto& [number, thread] : process.threads) {
      if (!thread.records) continue;
      all.lost += static_cast<std::int64_t>(thread.records->lost_records());
      all.not_written += static_cast<std::int64_t>(thread.records->header().lost_records);
      all.damages += static_cast<std::int64_t>(thread.records->damages());
      const DecodingCounts& one = thread.decoder->counts();
      all.decoding.outside_calls += one.outside_calls;
      all.decoding.too_many += one.too_many;
      all.decoding.not_watched += one.not_watched;
      all.decoding.unsuccessful += one.unsuccessful;
    }
  }
  return all;
}

}  // namespace latecomer::watch
