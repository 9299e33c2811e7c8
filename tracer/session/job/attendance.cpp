// SPDX-License-Identifier: BSD-3-Clause
// Finds out which processes record, from the board of the node and from the launcher.
#include "tracer/session/job/attendance.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace latecomer::session {
namespace {

const char* first_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

int number_of(std::initializer_list<const char*> names, int otherwise) {
  const char* text = first_of(names);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && value >= 0 && value < (1L << 24) ? static_cast<int>(value)
                                                                         : otherwise;
}

// Pipes of more processes would take much of the memory for files of some containers (64 MiB).
constexpr int kMostWithPipes = 1024;

std::string key_of(int rank) { return "latecomer-" + std::to_string(rank); }

// Part of the board's name: numbers of processes mean nothing in another namespace.
std::string process_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? std::to_string(status.st_ino) : "";
}

}  // namespace

JobEnvironment JobEnvironment::read() {
  JobEnvironment found;
  found.rank = number_of({"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}, -1);
  found.size = number_of({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}, 0);
  found.node_size = number_of({"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}, 0);
  if (const char* name = first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})) {
    found.job = name;
  } else if (const char* slurm = first_of({"SLURM_JOB_ID"}); slurm != nullptr) {
    const char* step = first_of({"SLURM_STEP_ID"});
    if (step != nullptr) found.job = std::string(slurm) + '.' + step;
  }
  return found;
}

Attendance::Attendance(const JobEnvironment& environment, ProcessManager manager,
                       const std::string& shared_memory)
    : environment_(environment), manager_(manager), shared_memory_(shared_memory) {}

void Attendance::announce(bool records, const std::string& node, bool offers_exchange) {
  JobEnvironment& e = environment_;
  if (std::exchange(announced_, true) || e.rank < 0 || e.size < 2 || e.rank >= e.size) return;
  const Presence mine = records ? Presence::kRecords : Presence::kOff;
  // The launcher's name of its space is better than a number that other jobs may have, too.
  if (std::string space = manager_.introduce(); !space.empty()) {
    e.job = std::move(space);
    manager_.put(key_of(e.rank), mine == Presence::kRecords ? "records" : "off");
  }
  if (e.job.empty()) return;
  const bool alone = e.node_size == e.size && e.size <= kMostWithPipes;
  board_ = NodeBoard::join(shared_memory_, e.job + '.' + process_namespace() + '.' + node, e.size,
                           alone);
  if (offers_exchange) board_.offer_exchange(e.rank);
  board_.set(e.rank, mine);
}

// Only one process of the node asks for all of them, since the launcher answers one after the
// other.
void Attendance::ask_for_others() {
  const bool shared = board_.exists();
  if (shared) board_.lock();
  const bool asked = shared && board_.others_asked();
  for (int rank = 0; rank < static_cast<int>(presence_.size()); ++rank) {
    Presence& known = presence_[static_cast<std::size_t>(rank)];
    if (known != Presence::kUnknown) continue;
    if (asked) {
      known = board_.get_elsewhere(rank);
    } else if (const auto said = manager_.get(key_of(rank)); said) {
      known = *said == "off" ? Presence::kOff : Presence::kRecords;
      board_.set_elsewhere(rank, known);
    }
  }
  if (shared) {
    board_.note_others();
    board_.unlock();
  }
}

void Attendance::find_out(int rank, int size) {
  presence_.assign(static_cast<std::size_t>(size), Presence::kUnknown);
  here_.assign(static_cast<std::size_t>(size), false);
  const bool fits = announced_ && rank == environment_.rank && size == environment_.size;
  if (size < 2 || !fits) return;  // the environment describes another world, so nothing is known
  int here = 0;
  for (int other = 0; other < size; ++other) {
    const Presence said = board_.get(other);
    presence_[static_cast<std::size_t>(other)] = said;
    here_[static_cast<std::size_t>(other)] = said != Presence::kUnknown;
    if (said != Presence::kUnknown) ++here;
  }
  if (board_.exists()) board_.close();
  const bool has_manager = manager_.get(key_of(rank)).has_value();
  if (here < size && has_manager) ask_for_others();
  const auto unknown = std::ranges::count(presence_, Presence::kUnknown);
  const auto off = std::ranges::count(presence_, Presence::kOff);
  // Nothing is known of other nodes without the launcher's help, only whether some are missing
  // here.
  const bool missing_here =
      board_.exists() && environment_.node_size > 0 && here < environment_.node_size;
  const bool missing = has_manager || missing_here || environment_.node_size == size;
  everybody_ = off == 0 && (unknown == 0 || !missing);
}

std::vector<int> Attendance::ranks(Presence presence) const {
  std::vector<int> found;
  for (std::size_t rank = 0; rank < presence_.size(); ++rank) {
    if (presence_[rank] == presence) found.push_back(static_cast<int>(rank));
  }
  return found;
}

bool Attendance::is_on_this_node(int rank) const { return here_[static_cast<std::size_t>(rank)]; }

int Attendance::first_of_node() const {
  for (std::size_t rank = 0; rank < here_.size(); ++rank) {
    if (here_[rank] && presence_[rank] == Presence::kRecords) return static_cast<int>(rank);
  }
  return environment_.rank;
}

}  // namespace latecomer::session
