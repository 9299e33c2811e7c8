// SPDX-License-Identifier: BSD-3-Clause
// Reads records, then the definitions that they refer to, then tells the calls.
#include "tracer/watch/live/run_follower.hpp"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "archive/experiment/live_processes.hpp"
#include "archive/experiment/no_records.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/shell_words.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/convert/shared_cores.hpp"

namespace latecomer::watch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherRelease = "its records were made by another release";
constexpr const char* kTooManyFiles = "this process may not open more files (ulimit -n)";
// Calls of a process that wait for the definition of a communicator by another process.
constexpr std::size_t kMostWaitingCalls = 1 << 15;
// Memory is used for each rank, and a damaged log may tell any size. So a size is believed up to
// this, or up to so many ranks for each process with records: other hosts may have theirs
// elsewhere.
constexpr std::uint64_t kBelievedRanks = 1 << 16, kBelievedPerProcess = 1024;
// Files that are left for reports, /proc and connections.
constexpr rlim_t kSpareFiles = 16;
// Logs of processes that are not followed are read at one of so many polls.
constexpr std::uint64_t kPollsOfOthers = 64;
constexpr int kEmptyLooks = 2;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Why a file that is there cannot be opened; empty: it is not there, or has no content yet.
std::string open_error(const std::string& path) {
  const follow::ReadFile file(path);
  if (file.ok() || errno == ENOENT) return "";
  return "cannot read " + path + ": " + file_error(errno);
}

Nanoseconds now_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
Nanoseconds now_of(const record::ClockDefinition& clock) {
  return now_of(clock.timer == "realtime" ? CLOCK_REALTIME : CLOCK_MONOTONIC);
}

bool is_about_cores(std::string_view property) {
  return property == layout::kLogCores || property == layout::kLogTeams ||
         property == layout::kLogOpenMpThreads;
}

bool is_abort(std::uint32_t region) {
  static const auto abort = [] {
    const auto& all = convert::mpi_functions();
    const auto named = [](const auto& function) {
      return std::string_view(function.name) == "MPI_Abort";
    };
    return static_cast<std::uint32_t>(std::ranges::find_if(all, named) - all.begin());
  }();
  return region == abort;
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

Nanoseconds time_of(const record::ClockDefinition& clock, std::uint64_t ticks) {
  constexpr double kFarthest = 1e18;
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - clock.base_ticks)) *
                       clock.nanoseconds_per_tick;
  const double time = static_cast<double>(clock.base_nanoseconds) + since;
  return time > -kFarthest && time < kFarthest * 4 ? static_cast<Nanoseconds>(time) : 0;
}

RunFollower::RunFollower(std::string directory) : directory_(std::move(directory)) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > kSpareFiles)
    most_files_ = limit.rlim_cur - kSpareFiles;
}

RunFollower::~RunFollower() = default;

Result<std::unique_ptr<RunFollower>> RunFollower::open(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Problem{"there is no directory " + directory,
                   "name the directory that scan makes for the run: an experiment"};
  }
  auto run = std::unique_ptr<RunFollower>(new RunFollower(directory));
  run->find_files();
  if (run->processes_.empty() && !run->unlisted_.empty())
    return Problem{run->unlisted_, "run latecomer watch as the user who has started the program"};
  if (run->processes_.empty()) return without_records(directory);
  // Definitions are read here only to see who made them: the watcher has to be told all of them.
  Watcher nobody;
  run->find_size(nobody);
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
  unlisted_ = error && error != std::errc::no_such_file_or_directory
                  ? "cannot read " + records + ": " + error.message()
                  : "";
}

// Each process tells the size of the run. Most of them are right, if a log is damaged.
void RunFollower::find_size(Watcher& watcher) {
  for (auto& [rank, process] : processes_) {
    if (process.sized || !process.about.not_followed.empty()) continue;
    auto log = follow::DefinitionFollower::open(process.log);
    if (!log) {
      if (std::string why = open_error(process.log); !why.empty())
        leave(process, watcher, std::move(why));
      continue;
    }
    const std::uint32_t told = log->poll().definitions.process.size;
    if (told == 0 || told > kMostRanks) continue;
    process.sized = true;
    ++sizes_[told];
  }
  std::pair<std::size_t, std::uint32_t> most;
  for (const auto& [told, count] : sizes_) most = std::max(most, {count, told});
  const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      most.second, std::max(kBelievedRanks, processes_.size() * kBelievedPerProcess)));
  if (size <= size_) return;
  size_ = size;
  comms_.set_size(size_);
  watcher.define(RunComms::kWorld, comms_[RunComms::kWorld].members);
}

bool RunFollower::is_left(const Process& process) const {
  return !process.about.not_followed.empty() || (size_ != 0 && process.about.rank >= size_);
}

void RunFollower::leave(Process& process, Watcher& watcher, std::string why) {
  process.about.not_followed = std::move(why);
  process.items.clear();
  const auto is_read = [](const auto& one) { return one.second.records.has_value(); };
  if (std::ranges::any_of(process.threads, is_read)) {
    watcher.lose(process.about.rank);
  } else {
    watcher.leave_out(process.about.rank);
  }
}

bool RunFollower::read_definitions(Process& process, Watcher& watcher) {
  if (!process.definitions) {
    if (size_ == 0 || is_left(process)) return false;
    if (!may_open()) {
      leave(process, watcher, kTooManyFiles);
      return false;
    }
    auto opened = follow::DefinitionFollower::open(process.log);
    if (!opened) {
      if (std::string why = open_error(process.log); !why.empty())
        leave(process, watcher, std::move(why));
      return false;
    }
    process.definitions.emplace(std::move(*opened));
    ++files_;
  }
  bool is_new = false;
  constexpr int kMostBatches = 64;
  for (int i = 0; i < kMostBatches; ++i) {
    const auto batch = process.definitions->poll();
    const record::Definitions& d = batch.definitions;
    is_new = is_new || batch.lines != 0;
    FollowedProcess& about = process.about;
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
      about.metahost = d.metahost.id;
      watcher.set_place(about.rank, about.node_index, metahost.first->second);
    }
    if (!d.clock.timer.empty()) {
      about.clock = d.clock;
      about.has_clock = true;
    }
    if (program_.empty() && !d.program.path.empty()) {
      std::vector<std::string> words = {fs::path(d.program.path).filename().string()};
      words.insert(words.end(), d.program.arguments.begin(), d.program.arguments.end());
      program_ = command_line(words);
    }
    measurements_.insert(measurements_.end(), d.measurements.begin(), d.measurements.end());
    for (const auto& property : d.properties) {
      if (is_about_cores(property.name)) process.properties[property.name] = property.value;
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
    if (process.about.elsewhere) {
      watcher.set_elsewhere(process.about.rank);
    } else if (!process.about.not_followed.empty()) {
      watcher.leave_out(process.about.rank);
    }
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
    about.elsewhere = expects_others_;
    return;
  }
  if (!clock_) clock_ = about.clock.leader;
  if (about.clock.leader != *clock_) about.not_followed = "it has a clock of its own";
}

bool RunFollower::knows_places() const {
  return size_ != 0 && processes_.size() + absent_.size() >= size_ &&
         std::ranges::all_of(processes_, [](const auto& one) { return one.second.checked; });
}

void RunFollower::forget_others(Watcher& watcher) {
  expects_others_ = false;
  for (auto& [rank, process] : processes_) {
    if (std::exchange(process.about.elsewhere, false)) watcher.leave_out(rank);
  }
}

sync::PiecewiseLinear RunFollower::to_global() const {
  if (!clock_ || *clock_ == sync::kRootClock) return {};
  for (const auto scheme :
       {sync::Scheme::kHierarchical, sync::Scheme::kFlat, sync::Scheme::kFlatSingle}) {
    const auto found = sync::corrections(measurements_, scheme);
    if (const auto own = found.clocks.find(*clock_); own != found.clocks.end())
      return own->second.function;
  }
  return {};
}

RunFollower::Moment RunFollower::Moment::now() {
  return {now_of(CLOCK_MONOTONIC), now_of(CLOCK_REALTIME)};
}

void RunFollower::stop_at_now() { until_ = Moment::now(); }

std::optional<Nanoseconds> RunFollower::now() const {
  for (const auto& [rank, process] : processes_) {
    if (!process.checked || is_left(process)) continue;
    if (process.about.clock.emulation != nullptr) return {};
    return now_of(process.about.clock);  // that of all processes that are followed
  }
  return {};
}

std::optional<Nanoseconds> RunFollower::behind() const {
  const auto present = now();
  Nanoseconds longest = 0;
  for (const auto& [rank, process] : processes_) {
    if (is_left(process)) continue;
    for (const auto& [number, thread] : process.threads) {
      if (!thread.has_more) continue;
      if (!present || thread.ticks == 0) return {};
      longest = std::max(longest, *present - time_of(process.about.clock, thread.ticks));
    }
  }
  return longest;
}

bool RunFollower::is_new(const FollowedProcess& about, const Thread& thread) const {
  const record::ClockDefinition& clock = about.clock;
  if (!until_ || clock.emulation != nullptr) return false;
  return time_of(clock, thread.ticks) >= until_->on(clock);
}

bool RunFollower::open_records(Process& process, Thread& thread, Watcher& watcher) {
  if (!may_open()) {
    leave(process, watcher, kTooManyFiles);
    return false;
  }
  auto opened = follow::RecordFollower::open(thread.path);
  if (!opened) {
    std::string why = open_error(thread.path);
    if (why.empty() && gone_) why = opened.problem().what;  // its content will not come any more
    if (!why.empty()) leave(process, watcher, std::move(why));
    return false;
  }
  thread.records.emplace(std::move(*opened));
  ++files_;
  thread.is_thread = thread.records->header().kind == record::LocationKind::kThread;
  thread.decoder.emplace(process.about.clock);
  return true;
}

bool RunFollower::read_records(Process& process, Watcher& watcher) {
  bool more = false;
  bool all_ended = !process.threads.empty();
  for (auto& [id, thread] : process.threads) {
    if (!thread.records && !open_records(process, thread, watcher)) {
      if (!process.about.not_followed.empty()) return false;
      all_ended = false;
      continue;
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
    const auto batch = thread.records->poll([&](const record::Record& r) {
      thread.ticks = r.ticks;
      thread.decoder->take(r, on_call);
    });
    counts_.records += static_cast<std::int64_t>(batch.records);
    grown_ = grown_ || batch.records != 0;
    thread.has_more = batch.more && !is_new(process.about, thread);
    more = more || thread.has_more;
    thread.ended = thread.records->ended() && gone_;
    all_ended = all_ended && (thread.records->ended() || thread.ended);
  }
  process.about.ended = all_ended && !more;
  process.gone = process.missed && !more;
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
  if (comm == kNone || comms_[comm].is_damaged) return false;
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
  FollowedProcess& about = process.about;
  about.began = about.began || event.kind == patterns::CallKind::kInit;
  about.finalized = about.finalized || event.kind == patterns::CallKind::kFinalize;
  about.aborted = about.aborted || is_abort(call.region);
  event.enter = call.enter;
  event.leave = call.leave;
  event.inside = call.inside;
  event.operations = call.operations;
  event.calls = call.calls;
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
    if (!item.is_loss && !give_up && !is_resolved(process, item.call)) {
      calls_wait_ = true;
      return;
    }
    if (item.is_loss) {
      process.about.began = true;  // perhaps in what was lost
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
    bool any = listed_;
    for (auto& [rank, process] : processes_) {
      any = any || process.checked;
      if (process.checked || is_left(process)) continue;
      grown_ = read_definitions(process, watcher) || grown_;
      any = any || process.checked;
      // Log and records are opened together: if files are too few, the first ranks are watched.
      for (auto& [id, thread] : process.threads) {
        if (!process.checked || is_left(process)) break;
        if (!thread.records) static_cast<void>(open_records(process, thread, watcher));
      }
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
  find_size(watcher);
  const bool others_too = calls_wait_ || polls_ % kPollsOfOthers == 0;
  ++polls_;
  calls_wait_ = false;
  bool more = false;
  look_for_clocks(watcher);
  for (auto& [rank, process] : processes_) {
    if (!process.checked || is_left(process)) continue;
    more = read_records(process, watcher) || more;
  }
  // A record may refer to any definition that was written before it.
  for (auto& [rank, process] : processes_) {
    if (process.checked && (others_too || !is_left(process)))
      grown_ = read_definitions(process, watcher) || grown_;
  }
  for (auto& [rank, process] : processes_) tell(process, watcher);
  return more;
}

bool RunFollower::look_for_processes() {
  if (gone_) return false;
  const Moment moment = Moment::now();
  const ProcessLook look = latecomer::look_for_processes(directory_);
  const bool is_empty = look.found.empty() && look.all_seen;
  empty_looks_ = is_empty && !grown_ ? empty_looks_ + 1 : 0;
  grown_ = false;
  bool all_began = size_ != 0 && processes_.size() >= size_;
  for (auto& [rank, process] : processes_) {
    const bool is_there = std::ranges::binary_search(look.ranks, rank);
    if (is_there) process.seen = moment;
    // A process has mapped its log before there is anything in it.
    if (is_there || !look.all_seen || !process.checked || is_left(process)) {
      process.missed.reset();
      process.gone = false;
    } else if (!process.missed) {
      process.missed = moment;
    }
    all_began = all_began && (process.checked || is_left(process));
  }
  gone_ = empty_looks_ >= kEmptyLooks || (is_empty && all_began);
  return is_empty && !gone_;
}

std::optional<RunFollower::Moment> RunFollower::noted_end() const {
  const fs::path file = fs::path(directory_) / layout::kRecords / layout::kEnded;
  constexpr std::uintmax_t kMostLetters = 100;
  const auto text = plain_content(file.string(), kMostLetters);
  if (!text) return {};
  Moment end;
  const auto [rest, error] =
      std::from_chars(text->data(), text->data() + text->size(), end.realtime);
  const Moment now = Moment::now();
  if (error != std::errc() || end.realtime <= 0 || end.realtime > now.realtime) return {};
  end.monotonic = now.monotonic - (now.realtime - end.realtime);
  return end;
}

std::optional<Nanoseconds> RunFollower::end_of(Rank rank) const {
  const auto found = processes_.find(rank);
  if (found == processes_.end() || !found->second.about.has_clock) return {};
  const Process& process = found->second;
  const record::ClockDefinition& clock = process.about.clock;
  if (clock.emulation != nullptr) return {};
  if (!gone_ && !process.gone) return now_of(clock);
  std::optional<Nanoseconds> end;
  if (process.seen) end = process.seen->on(clock);
  // Others may have been there longer than this one. Then the end of the run is not its end.
  const auto noted = gone_ ? noted_end() : std::nullopt;
  if (!noted) return end;
  const bool too_late = process.missed && process.missed->monotonic < noted->monotonic;
  if (end && too_late) return end;
  return std::max(end.value_or(INT64_MIN), noted->on(clock));
}

bool RunFollower::lacks_end() const {
  const auto was_killed = [&](const auto& one) {
    return one.second.gone && !one.second.about.finalized;
  };
  return gone_ && std::ranges::any_of(processes_, was_killed) && !noted_end();
}

bool RunFollower::ended() const {
  if (processes_.empty()) return gone_;
  bool is_any_followed = false;
  for (const auto& [rank, process] : processes_) {
    if (is_left(process)) continue;
    is_any_followed = true;
    if (!process.about.ended && (!gone_ || process.checked)) return false;
  }
  return is_any_followed && (gone_ || processes_.size() >= size_);
}

std::string RunFollower::nothing_to_watch() const {
  if (processes_.empty() || processes_.size() < size_) return "";
  for (const auto& [rank, process] : processes_) {
    if (!is_left(process)) return "";
  }
  const FollowedProcess first = processes().front();
  return "rank " + std::to_string(first.rank) + ": " + first.not_followed;
}

std::vector<FollowedProcess> RunFollower::processes() const {
  std::vector<FollowedProcess> all;
  for (const auto& [rank, process] : processes_) {
    FollowedProcess about = process.about;
    if (about.not_followed.empty() && is_left(process)) {
      about.not_followed =
          "its number is too high for a run of " + std::to_string(size_) + " ranks";
    } else if (about.not_followed.empty() && gone_ && !process.checked) {
      about.not_followed = "it left no complete definitions";
    }
    for (const auto& [number, thread] : process.threads) {
      if (thread.is_thread) about.threads.push_back(number);
      if (number != 0 || !thread.decoder) continue;
      about.open = thread.decoder->open_call();
      about.last = thread.decoder->last_time();
      about.exited = thread.decoder->program_ended();
    }
    about.gone = about.not_followed.empty() && !about.exited && (gone_ || process.gone);
    all.push_back(std::move(about));
  }
  return all;
}

std::optional<RunFollower::SharedCores> RunFollower::shared_cores() const {
  convert::SharedCores all;
  for (const auto& [rank, process] : processes_) {
    record::Definitions d;
    for (const auto& [name, value] : process.properties) d.properties.push_back({name, value});
    all.add(d);
  }
  SharedCores worst;
  const auto read = [](const std::string& text, std::int64_t& value) {
    std::from_chars(text.data(), text.data() + text.size(), value);
  };
  for (const auto& [name, value] : all.properties()) {
    if (name == layout::kPropertySharedRanks) read(value, worst.ranks);
    if (name == layout::kPropertySharedThreads) read(value, worst.threads);
    if (name == layout::kPropertySharedCores) read(value, worst.cores);
  }
  return worst.cores == 0 ? std::nullopt : std::optional(worst);
}

FollowCounts RunFollower::counts() const {
  FollowCounts all = counts_;
  all.damages += comms_.damaged();
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
