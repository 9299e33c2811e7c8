// SPDX-License-Identifier: BSD-3-Clause
// Begin of a session, inside MPI_Init.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "archive/cost_names.hpp"
#include "archive/layout.hpp"
#include "archive/printable.hpp"
#include "archive/settings.hpp"
#include "archive/shell_word.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/exchange/mpi_group.hpp"
#include "tracer/exchange/node_group.hpp"
#include "tracer/session/agreement/collective_status.hpp"
#include "tracer/session/agreement/directory.hpp"
#include "tracer/session/agreement/introduction.hpp"
#include "tracer/session/clock_points.hpp"
#include "tracer/session/clocks/record_cost.hpp"
#include "tracer/session/job/identity.hpp"
#include "tracer/session/job/processors.hpp"
#include "tracer/session/job/world.hpp"
#include "tracer/session/participants.hpp"
#include "tracer/session/process/emulation.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {
namespace {

using detail::Phase;

// True in a world that MPI_Comm_spawn made. It has an experiment of its own, beside that of its
// parent.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

Existing existing_directory() {
  if (is_spawned()) return Existing::kNextNumber;
  if (setting_flag(SettingId::kOverwrite)) return Existing::kOverwrite;
  return setting_flag(SettingId::kNext) ? Existing::kNextNumber : Existing::kRefuse;
}

const char* name_ending() { return is_spawned() ? "_spawned" : ""; }

// Directory that the setting names; empty: none.
std::string chosen_directory() {
  std::string chosen = setting_text(SettingId::kExperimentDirectory);
  while (chosen.size() > 1 && chosen.ends_with('/')) chosen.pop_back();
  return chosen.empty() ? chosen : chosen + name_ending();
}

std::string usual_directory(int size) {
  return default_directory_name(base_name(program().path), size) + name_ending();
}

// Rank 0 prints where the records of this world are, if that is not where the user asked for.
void say_where() {
  const std::string& directory = run()->part.directory;
  const bool only_watched = process().session.ring_chunks != 0;
  if (!is_aside()) return;
  const std::string whose = is_spawned() ? "processes that MPI_Comm_spawn started are "
                                         : base_name(program().path) +
                                               " is not the first MPI program of this run, and is ";
  const char* how = is_spawned() ? "by themselves" : "by itself";
  if (only_watched) {
    say(whose + "watched " + how + ": latecomer watch " + shell_word(directory) +
        " shows who waits, while it runs");
  } else {
    say(whose + "recorded " + how + ": scan -a " + shell_word(directory) + " analyzes " +
        (is_spawned() ? "them" : "it"));
  }
}

// Names of the metahosts in the order of their indices; "" for one without a name.
std::vector<std::string> names_of_metahosts(std::span<const Introduction> everybody,
                                            std::span<const Place> where) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    if (where[rank].metahost != static_cast<std::int32_t>(names.size())) continue;
    const Introduction& i = everybody[rank];
    names.push_back(i.metahost_name_given != 0 ? i.metahost_name.str()
                    : i.metahost_id_given != 0 ? std::to_string(i.metahost_id)
                                               : "");
  }
  return names;
}

// A probe makes MPI progress on behalf of other processes. It takes no message. The tag tells the
// begin of an operation from its waiting.
void probe(bool begins) {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, begins ? 1 : 0, world_comm(), &found, MPI_STATUS_IGNORE);
}

// Rank 0 checks the introductions of all processes and sends the places of all to all. Then they
// agree on the experiment directory, which is in run()->part.
std::vector<Place> agree_on_run(std::string& metahost) {
  const Introduction me = introduce();
  const auto size = static_cast<std::size_t>(run()->size);
  std::vector<Introduction> everybody(run()->rank == 0 ? size : 0);
  run()->group->gather(&me, sizeof me, everybody.data());
  Status status = success();
  std::vector<Place> where(size);
  if (run()->rank == 0) {
    for (const std::string& name : unknown_settings()) {
      say("warning: " + name + " is not a variable of Latecomer; it has no effect");
    }
    status = check(everybody);
    if (status && !is_spawned()) status = check_recording_less(run()->size);
    where = places(everybody);
  }
  status = agree_with_root(*run()->group, status);
  if (!status) end_program(*run()->group, status.problem());
  run()->group->broadcast(where.data(), where.size() * sizeof(Place), 0);
  const std::string chosen = chosen_directory();
  const Result<Part> part =
      agree_on_directory(*run()->group, where, names_of_metahosts(everybody, where),
                         {chosen, usual_directory(run()->size), rules_of_directory()});
  if (!part) end_program(*run()->group, part.problem());
  run()->part = part.value();
  if (run()->rank == 0) say_where();
  metahost = metahost_name(me);
  return where;
}

// The group uses the node's board where that is possible, and MPI elsewhere. All processes choose
// the same: the board is complete once MPI_Init has begun on all of them.
void form_group() {
  exchange::NodeBoard& board = attendance().board();
  if (board.all_exchange()) {
    run()->group = std::make_unique<exchange::NodeGroup>(board, run()->rank, run()->size, probe);
    return;
  }
  PMPI_Comm_dup(world_comm(), &run()->comm);
  run()->group = std::make_unique<exchange::MpiGroup>(run()->comm);
}

// Agrees on rank 0's choice of how clocks are compared.
SyncMode agree_on_mode() {
  const std::string text = setting_text(SettingId::kSync);
  SyncMode mode = text == "flat-single" ? SyncMode::kFlatSingle
                  : text == "flat"      ? SyncMode::kFlat
                  : text == "all"       ? SyncMode::kAll
                                        : SyncMode::kHierarchical;
  run()->group->broadcast(&mode, sizeof mode, 0);
  return mode;
}

}  // namespace

void say(const std::string& text) {
  std::fputs(("latecomer: " + printable(text) + "\n").c_str(), stderr);
  std::fflush(stderr);
}

Rules rules_of_directory() { return {existing_directory(), setting_text(SettingId::kRun)}; }

bool is_aside() {
  if (is_spawned()) return true;
  const std::string wished = chosen_directory();
  return setting_given(SettingId::kRun) && !wished.empty() &&
         base_name(run()->part.directory) != base_name(absolute_name(wished));
}

std::string wanted_directory(int size) {
  const std::string chosen = chosen_directory();
  return chosen.empty() ? usual_directory(size) : chosen;
}

Status open_files(const std::string& directory) {
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  s.records = directory + '/' + layout::kRecords;
  const std::string log = convert::log_path(*s.records, s.rank);
  int error = s.definitions.move_to(log);
  // The thread that initializes MPI gets number 0, even if another one recorded first.
  detail::ThreadInfo* const mine = detail::thread_state.info;
  const std::uint32_t number = mine != nullptr ? mine->writer.thread() : 0;
  if (number != 0) {
    s.threads[0]->writer.set_thread(number);
    mine->writer.set_thread(0);
  }
  for (const auto& thread : s.threads) {
    const bool is_free = thread->ended || thread->other != nullptr;
    if (error != 0 || (thread.get() != mine && !is_free)) continue;
    place(s, *thread);
    error = thread->writer.losses().error;
    if (thread->ended) thread->writer.close();
  }
  s.phase.store(Phase::kRunning, std::memory_order_release);
  process().session.generation.fetch_add(1);
  if (error == 0) return success();
  return Problem{
      "cannot write records to " + *s.records + " on " + host_name() + ": " + std::strerror(error),
      "the experiment directory must be writable, with room, on all hosts: "
      "LATECOMER_EXPERIMENT_DIRECTORY=DIRECTORY, or `scan -e DIRECTORY`",
      Exit::kUsage};
}

// Formats a number independently of the program's locale.
std::string in_digits(double number) {
  std::array<char, 40> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), end);
}

void define_process(int provided, const std::string& metahost, const Part& part,
                    const record::ClockDefinition& clock) {
  auto& log = process().session.definitions;
  log.append(
      to_line(record::ProcessDefinition{process().session.rank, process().session.size, provided}));
  log.append(to_line(record::NodeDefinition{node_identity(), host_name()}));
  log.append(to_line(record::MetahostDefinition{setting_number(SettingId::kMetahostId), metahost}));
  log.append(to_line(program()));
  log.append(to_line(record::Property{convert::kMpiTableProperty, convert::mpi_table_name()}));
  log.append(to_line(record::Property{layout::kLogRun, std::to_string(part.token)}));
  const RecordCost cost = cost_of_events(clock);
  log.append(to_line(record::Property{layout::kLogEventCost, in_digits(cost.nanoseconds)}));
  log.append(to_line(record::Property{layout::kLogEventCostSpread, in_digits(cost.spread)}));
  log.append(to_line(record::Property{layout::kLogCores, cores()}));
  if (process().session.rank == 0 && setting_given(SettingId::kLaunch)) {
    log.append(to_line(record::Property{layout::kLogLaunch, setting_text(SettingId::kLaunch)}));
  }
  log.append(to_line(record::Property{layout::kLogParts, std::to_string(part.parts)}));
  const Moment& start = process().session.start;
  log.append(to_line(record::Property{
      "wall_minus_clock",
      std::to_string(static_cast<std::int64_t>(start.wall) - clock.nanoseconds(ticks_of(start)))}));
  log.append(to_line(clock));
}

// Steps: who records; settings, places and directory; one clock function per clock; files; the log
// of this process; first comparison of clocks.
void mpi_initialized(int provided) {
  const Inside inside;
  const std::uint32_t threads = thread_count(), before = process().session.threads_before_mpi;
  process().session.threads_of_mpi = threads - std::min(threads, before);
  begin();
  int rank = 0, size = 0;
  PMPI_Comm_rank(world_comm(), &rank);
  PMPI_Comm_size(world_comm(), &size);
  process().session.rank = static_cast<std::uint32_t>(rank);
  process().session.size = static_cast<std::uint32_t>(size);
  const Turnout came = turnout(rank, size);
  if (came == Turnout::kNobody) return stop_recording();
  if (came == Turnout::kSome) return begin_apart(provided);
  process().session.run = new Run;  // lives until the end of the process
  run()->rank = rank;
  run()->size = size;
  form_group();
  std::string metahost;
  const std::vector<Place> where = agree_on_run(metahost);
  const Place& mine = where[static_cast<std::size_t>(run()->rank)];
  const std::optional<sync::ClockSpec>& emulated = emulated_clock().value();
  const record::ClockDefinition clock =
      agree_on_clock(*run()->group, run()->comm, mine.clock, process().session.start,
                     emulated ? sync::to_text(*emulated) : "");
  const Status opened = agree(*run()->group, open_files(run()->part.directory));
  if (!opened) end_program(*run()->group, opened.problem());
  define_process(provided, metahost, run()->part, clock);
  const SyncMode mode = agree_on_mode();
  if (run()->comm != MPI_COMM_NULL) {
    run()->clocks = std::make_unique<ClockMeasurement>(run()->comm, where, mode, clock);
    for (const sync::Measurement& m : run()->clocks->measure(SyncMoment::kInit, false)) {
      process().session.definitions.append(record::to_line(m));
    }
  }
  // A single clock is compared with no other one.
  const bool one_clock = std::ranges::all_of(where, [](const Place& p) { return p.clock == 0; });
  begin_clock_points(
      one_clock || mode == SyncMode::kFlatSingle ? 0 : setting_time(SettingId::kSyncInterval));
  if (run()->rank == 0 && setting_flag(SettingId::kVerbose)) {
    say("recording to " + run()->part.directory +
        (run()->part.parts > 1
             ? " and " + std::to_string(run()->part.parts - 1) + " more of this name"
             : "") +
        ", timer " + clock.timer + ", memory of each thread for records " +
        std::to_string(process().session.chunk_bytes >> 10) + " KiB");
  }
}

}  // namespace latecomer::session
