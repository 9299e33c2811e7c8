// SPDX-License-Identifier: BSD-3-Clause
// Recording if some processes of the world do not take part. The others record independently, and
// the tracer sends nothing on a communicator. The archive is made from the records after the run,
// as after a crash. The processes of a node agree on directory and clock by their shared board.
#include <time.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>

#include "archive/layout.hpp"
#include "archive/settings.hpp"
#include "archive/shell_word.hpp"
#include "tracer/session/agreement/introduction.hpp"
#include "tracer/session/job/identity.hpp"
#include "tracer/session/participants.hpp"
#include "tracer/session/process/emulation.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {
namespace {

// tenths of a second to wait for a directory that another node makes
constexpr int kPatience = 300;
constexpr int kMostNumbers = 100;

std::uint64_t token() { return std::hash<std::string>()(attendance().job()); }

std::string who_is_missing() { return rank_list(attendance().ranks(Presence::kUnknown)); }

// The first process of all makes the directory; those of other nodes look for its mark.
Result<std::string> directory_of_run(int size, bool is_first) {
  const std::string wanted = wanted_directory(size);
  if (is_first) {
    Result<std::string> made = make_experiment_directory(wanted, rules_of_directory());
    if (made && !leave_mark(*made, token(), 0)) {
      return Problem{"cannot write to " + *made + ": " + std::strerror(errno), ""};
    }
    return made;
  }
  const std::string name = absolute_name(wanted);
  const timespec rest{0, 100'000'000};
  for (int i = 0; i < kPatience; ++i) {
    for (int number = 1; number < kMostNumbers; ++number) {
      const std::string path = with_number(name, number);
      if (sees_mark(path, token(), 0)) return path;
    }
    nanosleep(&rest, nullptr);
  }
  return Problem{"the experiment directory " + name + " of the first process cannot be seen on " +
                     host_name() + ", so its processes are not recorded",
                 ""};
}

// Decision of the first process of a node for the whole node.
NodeBoard::Decision decide(int size, bool is_first) {
  NodeBoard::Decision decision;
  const record::ClockDefinition clock = calibrate(process().session.start);
  decision.base_ticks = clock.base_ticks;
  decision.base_nanoseconds = clock.base_nanoseconds;
  decision.nanoseconds_per_tick = clock.nanoseconds_per_tick;
  const Result<std::string> directory = directory_of_run(size, is_first);
  if (!directory) {
    say("nothing is recorded: " + directory.problem().what);
  } else if (directory->size() < sizeof decision.directory) {
    directory->copy(decision.directory, directory->size());
  }
  return decision;
}

record::ClockDefinition clock_of(const NodeBoard::Decision& decision, int leader) {
  record::ClockDefinition clock;
  clock.timer = name(timer_in_use());
  clock.leader = static_cast<sync::ClockId>(leader);
  clock.base_ticks = decision.base_ticks;
  clock.base_nanoseconds = decision.base_nanoseconds;
  clock.nanoseconds_per_tick = decision.nanoseconds_per_tick;
  if (const auto& emulated = emulated_clock().value(); emulated) {
    clock.emulation = std::make_shared<const sync::ClockModel>(*emulated);
  }
  return clock;
}

// Tells the user who is missing, and leaves a file beside the records; scan finds it and continues
// with them.
void tell(const std::string& directory, int size) {
  const std::size_t missing = attendance().ranks(Presence::kUnknown).size();
  const bool one = missing == 1;
  say(who_is_missing() + (one ? " takes" : " take") +
      " no part in the measurement: " + (one ? "it runs" : "they run") +
      " without the measurement library (LD_PRELOAD dropped or replaced), or " +
      (one ? "opens" : "open") + " MPI by dlopen");
  say(std::to_string(static_cast<std::size_t>(size) - missing) + " of " + std::to_string(size) +
      " ranks are recorded, without a comparison of clocks: scan -a " + shell_word(directory) +
      " analyzes them");
  std::ofstream(directory + '/' + layout::kRecords + '/' + layout::kApart)
      << who_is_missing() << '\n';
}

}  // namespace

void begin_apart(int provided) {
  SessionState& s = process().session;
  const int rank = static_cast<int>(s.rank), size = static_cast<int>(s.size);
  const int leader = attendance().first_of_node();
  const bool is_first = rank == attendance().ranks(Presence::kRecords).front();
  NodeBoard& board = attendance().board();
  const Introduction me = introduce();
  if (!me.problem.str().empty()) {
    say("rank " + std::to_string(rank) + " is not recorded: " + me.problem.str());
  }
  NodeBoard::Decision own;
  const NodeBoard::Decision* decision = &own;
  if (rank == leader) {
    own = decide(size, is_first);
    if (board.exists()) board.decide(own);
  } else {
    decision = board.wait_for_decision(leader);
  }
  if (decision == nullptr || decision->directory[0] == '\0' || !me.problem.str().empty()) {
    return stop_recording();
  }
  s.apart = true;
  const std::string directory = decision->directory;
  if (is_first) tell(directory, size);
  const Status opened = open_files(directory);
  if (!opened) {
    say("rank " + std::to_string(rank) + " is not recorded: " + opened.problem().what);
    return stop_recording();
  }
  Part part;
  part.directory = directory;
  part.token = token();
  define_process(provided, metahost_name(me), part, clock_of(*decision, leader));
  define_property(layout::kLogAbsent, who_is_missing());
}

void end_apart() {
  stop_recording();
  close_writers();
  static_cast<void>(log_losses());
  close_log();
}

}  // namespace latecomer::session
