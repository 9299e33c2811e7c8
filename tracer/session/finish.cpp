// SPDX-License-Identifier: BSD-3-Clause
// The end of a session, inside MPI_Finalize.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "archive/cost_names.hpp"
#include "archive/layout.hpp"
#include "archive/mapping.hpp"
#include "archive/plain_file.hpp"
#include "archive/problem_text.hpp"
#include "archive/settings.hpp"
#include "archive/thread_layout.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/session/clock_points.hpp"
#include "tracer/session/clocks/record_cost.hpp"
#include "tracer/session/job/openmp_runtime.hpp"
#include "tracer/session/job/processors.hpp"
#include "tracer/session/process/hook_cost.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {
namespace {

std::string why_the_kernel_refuses(int error) {
  const bool is_forbidden = error == EPERM || error == EACCES;
  return std::strerror(error) +
         std::string(is_forbidden ? " (a container, or perf_event_paranoid above 2)" : "");
}

std::string why_not_sampled(int error, int no_signals) {
  if (error == EOPNOTSUPP) return "they need call paths, which are off or not possible";
  std::string text = "the kernel refuses them: " + why_the_kernel_refuses(error);
  if (no_signals == 0) return text + "; scan --sample-signals takes them with timer signals";
  text += "; timer signals are not possible: ";
  return text + (no_signals == EBUSY ? "the program handles SIGURG" : std::strerror(no_signals));
}

std::string why_not_counted(int error) {
  if (error == CounterState::kNotReadable) {
    return "they cannot be read here without a system call";
  }
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP) {
    return "this machine does not have them";
  }
  if (error == EINVAL || error == ENOSPC) return "this machine cannot count them together";
  return "the kernel refuses them: " + why_the_kernel_refuses(error);
}

// Threads of OpenMP stay to the end, and may have been bound to other cores than the first one.
void note_threads() {
  SessionState& s = process().session;
  const std::uint32_t now = thread_count(), of_mpi = s.threads_of_mpi;
  const std::uint32_t threads = now - std::min(now, of_mpi);
  const auto note = [&s](const char* name, const std::string& value) {
    s.definitions.append(to_line(record::Property{name, value}));
  };
  const posix::PosixState& posix = process().posix;
  const std::uint32_t early = posix.early_threads.load();
  const std::uint32_t had = std::max(threads, posix.made_while_off.load() + early + 1);
  if (!posix.is_recorded.load()) {
    if (had > 1) note(layout::kLogThreadsOff, std::to_string(had));
  } else if (const auto recorded = posix.recorded_early_threads.load(); recorded < early) {
    note(layout::kLogEarlyThreads, std::to_string(early - recorded));
  }
  if (threads < 2) return;
  const OpenMpRuntimes runtimes = openmp_runtimes();
  if (!runtimes.is_library && runtimes.inside.empty()) return;
  note(layout::kLogOpenMpThreads, std::to_string(threads));
  note(layout::kLogCores, cores());
  if (!runtimes.inside.empty()) note(layout::kLogOpenMpInside, runtimes.inside);
  if (runtimes.libraries.size() > 1) {
    std::string names;
    for (const std::string& name : runtimes.libraries) names += (names.empty() ? "" : ", ") + name;
    note(layout::kLogOpenMpRuntimes, names);
  }
  if (const auto teams = process().openmp.teams.load(); teams != 0) {
    note(layout::kLogTeams, std::to_string(teams));
  }
}

// Threads that still exist may have been bound since they began.
void note_affinities() {
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  for (const auto& thread : s.threads) {
    if (thread->other != nullptr) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (thread->ended) {
      if (thread->affinity != nullptr) set = *thread->affinity;
    } else if (sched_getaffinity(thread->kernel_id, sizeof set, &set) != 0) {
      continue;
    }
    const std::string cores = cores_in(set);
    if (cores.empty()) continue;
    s.definitions.append(to_line(record::AffinityDefinition{thread->writer.thread(), cores}));
  }
}

// Name of a thread that exists, by its kernel id. Empty: it has just ended.
std::string name_of(pid_t thread) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

// A thread begins with the name of the one that made it, so another name than that of the main
// thread is one that the program has given.
void note_names() {
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  const std::string of_all = name_of(getpid());
  for (const auto& thread : s.threads) {
    const std::uint32_t number = thread->writer.thread();
    if (thread->other != nullptr || number == 0) continue;
    const std::string name = thread->ended ? thread->name.data() : name_of(thread->kernel_id);
    if (name.empty() || name == of_all) continue;
    s.definitions.append(to_line(
        record::ThreadDefinition{number, "Thread " + std::to_string(number) + " (" + name + ")"}));
  }
}

// Calls on files that have no record.
void note_file_calls() {
  SessionState& s = process().session;
  std::uint64_t in_memory = 0, left_out = 0;
  for (const auto& thread : s.threads) {
    in_memory += thread->file_calls.in_memory.load();
    left_out += thread->file_calls.left_out.load();
  }
  const auto note = [&s](const char* name, std::uint64_t value) {
    if (value != 0)
      s.definitions.append_last(to_line(record::Property{name, std::to_string(value)}));
  };
  note(layout::kLogBufferedCalls, in_memory);
  note(layout::kLogFileCallsLeftOut, left_out);
}

std::vector<LastWord> read(const std::vector<std::string>& words) {
  std::vector<LastWord> all(words.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (words[rank].size() != sizeof(LastWord)) continue;
    std::memcpy(&all[rank], words[rank].data(), sizeof(LastWord));
  }
  return all;
}

// Each process its own: one that did it for all would let the others wait. The last one takes the
// folder away.
void remove_records() {
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  unlink(convert::log_path(*s.records, s.rank).c_str());
  for (const auto& thread : s.threads) {
    const std::uint32_t number = thread->writer.thread();
    unlink(convert::thread_path(*s.records, s.rank, number).c_str());
    if (const std::string ring = ring_path(number); !ring.empty()) unlink(ring.c_str());
  }
  rmdir(s.records->c_str());
}

// The records are removed once the archive holds all of them. Until then `shown` tells others that
// this process is not done.
void make_archive(const LastWord& word, Mapping shown) {
  const Part& part = run()->part;
  convert::Findings found;
  const Status made = convert::convert_collectively(
      *run()->group, {part.directory, part.maker, part.parts, run()->comm},
      std::string(reinterpret_cast<const char*>(&word), sizeof word), &found);
  for (const std::string& line : lines_about(read(found.last_words), part.directory)) say(line);
  for (const std::string& warning : found.warnings) say("warning: " + warning);
  if (!made) {
    if (run()->rank != 0) return;
    if (access(process().session.records->c_str(), F_OK) != 0 && errno == ENOENT) {
      rmdir(part.directory.c_str());  // OTF2 may have made it again
      return say(
          "experiment directory " + part.directory +
          " cannot be seen any more, so no archive is made: it was removed, or the program has "
          "changed its root directory (then scan -a makes the archive)");
    }
    std::fputs(problem_text(made.problem()).c_str(), stderr);
    std::fflush(stderr);
  } else if (!setting_flag(SettingId::kKeepRecords)) {
    shown.reset();  // NFS keeps a file that is mapped, under another name
    remove_records();
  }
}

}  // namespace

record::Losses log_losses() {
  SessionState& s = process().session;
  record::Losses sum;
  for (const auto& thread : s.threads) {
    const record::Losses own = thread->writer.losses();
    sum.records += own.records;
    sum.bytes += own.bytes;
    sum.clamped_times += own.clamped_times;
    if (sum.error == 0) sum.error = own.error;
  }
  auto& losses = s.losses.get();
  if (sum.records != 0) losses["records"] += sum.records;
  if (sum.bytes != 0) losses["record bytes"] += sum.bytes;
  if (sum.clamped_times != 0) losses["clamped times"] += sum.clamped_times;
  if (const std::uint64_t waits = process().posix.without_room.load(); waits != 0) {
    losses["waits of threads"] += waits;
  }
  if (s.definitions.lost_lines() != 0) losses["definitions"] += s.definitions.lost_lines();
  for (const auto& [what, count] : losses) {
    s.definitions.append_last(to_line(record::LostDefinition{what, count}));
  }
  if (sum.records != 0) {
    s.definitions.append_last(to_line(record::Property{
        layout::kLogRecordsLostWhy, sum.error != 0 ? std::strerror(sum.error) : kLostInSignals}));
  }
  return sum;
}

// A thread that is still running keeps its mapping: it may be in the middle of a record.
void close_writers() {
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  for (const auto& thread : s.threads) {
    const bool ours = thread.get() == detail::thread_state.info;
    if (thread->other != nullptr) {
      const std::lock_guard in_use(thread->other->in_use);
      thread->writer.close();
    } else if (thread->ended || ours) {
      thread->writer.close();
    } else if (thread->writer.in_memory()) {
      const std::uint32_t number = thread->writer.thread();
      thread->writer.save_to(convert::thread_path(*s.records, s.rank, number), s.rank);
      s.definitions.append(
          to_line(record::ThreadDefinition{number, "Thread " + std::to_string(number)}));
    }
  }
}

void close_log() {
  SessionState& s = process().session;
  note_threads();
  note_affinities();
  note_names();
  const auto note = [&s](const char* name, std::uint64_t value) {
    if (value != 0)
      s.definitions.append_last(to_line(record::Property{name, std::to_string(value)}));
  };
  note(layout::kLogThreadCost, static_cast<std::uint64_t>(s.thread_cost.count()));
  note(layout::kLogSamplesLost, s.samples.lost.load());
  note(layout::kLogSampleCost, s.samples.cost.load());
  note(layout::kLogSamplesUserOnly, s.samples.user_only.load() ? 1 : 0);
  note(layout::kLogSwitchesLost, s.samples.switches_lost.load());
  if (const int error = s.samples.refused.load(); error != 0) {
    s.definitions.append_last(to_line(record::Property{
        layout::kLogSamplesRefused, why_not_sampled(error, s.samples.no_signals.load())}));
  }
  if (const int error = s.samples.by_signals.load(); error != 0) {
    s.definitions.append_last(
        to_line(record::Property{layout::kLogSamplesBySignals, why_the_kernel_refuses(error)}));
  }
  note(layout::kLogCountersScaled, s.counters.scaled.load() ? 1 : 0);
  note(layout::kLogCountersLost, s.counters.lost.load());
  if (const int error = s.counters.refused.load(); error != 0) {
    s.definitions.append_last(
        to_line(record::Property{layout::kLogCountersRefused, why_not_counted(error)}));
  }
  note_file_calls();
  note(layout::kLogStacks, s.stacks.load());
  note(layout::kLogStackCost, s.stack_cost.load());
  const auto note_cost = [&s](const char* name, double ticks) {
    std::array<char, 40> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), ticks);
    s.definitions.append_last(to_line(record::Property{name, std::string(text.data(), end)}));
  };
  const RecordCost of_events = cost_of_events({});
  note_cost(layout::kLogTicksAtEnd, of_events.nanoseconds);
  note_cost(layout::kLogTicksAtEndSpread, of_events.spread);
  if (s.recorded_hooks.number.load() != 0) {
    const RecordCost of_hooks = ticks_of_a_hook();
    note_cost(layout::kLogHookTicks, of_hooks.nanoseconds);
    note_cost(layout::kLogHookTicksSpread, of_hooks.spread);
  }
  const double empty = ticks_of_an_empty_hook();
  const HookCost hooks = cost_of(s.recorded_hooks, empty);
  const HookCost filtered = cost_of(s.filtered_hooks, empty);
  note(layout::kLogRegionEvents, hooks.hooks);
  note(layout::kLogRegionTicks, static_cast<std::uint64_t>(hooks.ticks));
  note(layout::kLogFilteredEvents, filtered.hooks);
  note(layout::kLogFilteredTicks, static_cast<std::uint64_t>(filtered.ticks));
  note(layout::kLogProcessorTime, clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID));
  s.definitions.append_last(record::end_line());
  s.definitions.close();
}

// The first page of the log, by which others see that this process is not done. A repair would
// replace the archive that it makes.
Mapping shown_log() {
  const SessionState& s = process().session;
  const int file = open_plain(convert::log_path(*s.records, s.rank));
  if (file < 0) return {};
  Mapping page = Mapping::of_file(file, 0, 1, PROT_READ, MAP_PRIVATE);
  close(file);
  return page;
}

void finalize() {
  const Inside inside;
  SessionState& s = process().session;
  if (s.apart && s.phase.load() == detail::Phase::kRunning) return end_apart();
  if (run() == nullptr || s.phase.load() != detail::Phase::kRunning) return;
  end_clock_points();
  if (run()->clocks != nullptr) {
    for (const sync::Measurement& m : run()->clocks->measure(SyncMoment::kFinalize, false)) {
      s.definitions.append_last(record::to_line(m));
    }
  }
  if (s.watch.ends != nullptr) s.watch.ends();
  Mapping shown = shown_log();
  stop_recording();
  close_writers();
  LastWord word{.losses = log_losses()};
  tell_recording_less(word);
  close_log();
  if (s.ring_chunks == 0) {
    make_archive(word, std::move(shown));
  } else if (!setting_given(SettingId::kRun) || is_aside()) {
    shown.reset();
    remove_records();  // otherwise scan does, after the records have been read
  }
  run()->group.reset();
  if (run()->comm != MPI_COMM_NULL) PMPI_Comm_free(&run()->comm);
}

}  // namespace latecomer::session
