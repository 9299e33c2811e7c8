// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/exchange/node_board.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <utility>

namespace latecomer::exchange {

// Zeros are the state in which nobody has said anything. An entry per process of the job follows.
struct NodeBoard::Shared {
  std::atomic<std::uint32_t> others_asked;
  std::atomic<std::uint32_t> decided;
  std::atomic<std::uint32_t> activity;
  Decision decision;
};

struct NodeBoard::Entry {
  std::atomic<std::uint32_t> presence;
  std::atomic<std::uint32_t> elsewhere;
  std::atomic<std::int32_t> process;
  std::atomic<std::uint32_t> exchanges;
};

namespace {

// A file of ours alone: whoever else can write to the folder must not lead us somewhere else.
bool is_private_file(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

Presence presence_of(std::uint32_t stored) {
  return stored > static_cast<std::uint32_t>(Presence::kRecords) ? Presence::kUnknown
                                                                 : static_cast<Presence>(stored);
}

// A file beyond the limit would be a signal to the program.
bool is_allowed(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

}  // namespace

NodeBoard::Entry* NodeBoard::entry(int rank) const {
  if (shared_ == nullptr || rank < 0 || rank >= size_) return nullptr;
  return reinterpret_cast<Entry*>(shared_ + 1) + rank;
}

// Pages of their own, so that a process touches those of its pipe only.
std::size_t NodeBoard::place_of_pipes() const {
  constexpr std::size_t kPage = 4096;
  const std::size_t end = sizeof(Shared) + static_cast<std::size_t>(size_) * sizeof(Entry);
  return (end + kPage - 1) / kPage * kPage;
}

std::size_t NodeBoard::bytes() const {
  return place_of_pipes() + (has_pipes_ ? static_cast<std::size_t>(size_) * sizeof(Pipe) : 0);
}

// Reserves room for all of it: otherwise the first access to a missing page would raise a signal in
// the program.
bool NodeBoard::map(int file) {
  if (!is_allowed(bytes()) || posix_fallocate(file, 0, static_cast<off_t>(bytes())) != 0) {
    return false;
  }
  mapping_ = Mapping::of_file(file, 0, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED);
  shared_ = reinterpret_cast<Shared*>(mapping_.data());
  return static_cast<bool>(mapping_);
}

NodeBoard NodeBoard::join(const std::string& directory, const std::string& job, int size,
                          bool with_pipes) {
  NodeBoard board;
  board.size_ = size;
  if (!is_allowed(board.bytes())) return board;  // no empty file is left behind
  board.path_ = directory + "/latecomer-" + std::to_string(geteuid()) + '-' +
                std::to_string(std::hash<std::string>()(job));
  const int file =
      open(board.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return board;
  // The mode is set since a strange umask could make a file that no process can open again.
  bool mapped = false;
  if (is_private_file(file) && fchmod(file, 0600) == 0) {
    board.has_pipes_ = with_pipes;
    mapped = board.map(file);
    if (!mapped && with_pipes) {
      board.has_pipes_ = false;
      mapped = board.map(file);
    }
  }
  if (!mapped) {
    ::close(file);
    return board;
  }
  board.file_ = file;
  return board;
}

NodeBoard::NodeBoard(NodeBoard&& other) noexcept
    : path_(std::move(other.path_)),
      size_(other.size_),
      has_pipes_(other.has_pipes_),
      file_(std::exchange(other.file_, -1)),
      mapping_(std::move(other.mapping_)),
      shared_(std::exchange(other.shared_, nullptr)) {}

NodeBoard& NodeBoard::operator=(NodeBoard&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(has_pipes_, other.has_pipes_);
  std::swap(file_, other.file_);
  std::swap(mapping_, other.mapping_);
  std::swap(shared_, other.shared_);
  return *this;
}

NodeBoard::~NodeBoard() {
  if (file_ >= 0) ::close(file_);
}

void NodeBoard::set(int rank, Presence presence) {
  Entry* const mine = entry(rank);
  if (mine == nullptr) return;
  mine->process.store(getpid());
  mine->presence.store(static_cast<std::uint32_t>(presence));
}

Presence NodeBoard::get(int rank) const {
  const Entry* const its = entry(rank);
  return its == nullptr ? Presence::kUnknown : presence_of(its->presence.load());
}

void NodeBoard::set_elsewhere(int rank, Presence presence) {
  if (Entry* its = entry(rank); its != nullptr) {
    its->elsewhere.store(static_cast<std::uint32_t>(presence));
  }
}

Presence NodeBoard::get_elsewhere(int rank) const {
  const Entry* const its = entry(rank);
  return its == nullptr ? Presence::kUnknown : presence_of(its->elsewhere.load());
}

void NodeBoard::offer_exchange(int rank) {
  if (Entry* const mine = entry(rank); mine != nullptr && has_pipes_) mine->exchanges.store(1);
}

bool NodeBoard::all_exchange() const {
  if (!exists() || !has_pipes_) return false;
  for (int rank = 0; rank < size_; ++rank) {
    if (entry(rank)->exchanges.load() == 0) return false;
  }
  return true;
}

Pipe& NodeBoard::pipe(int rank) {
  return reinterpret_cast<Pipe*>(reinterpret_cast<char*>(shared_) + place_of_pipes())[rank];
}

std::atomic<std::uint32_t>& NodeBoard::activity() { return shared_->activity; }

void NodeBoard::close() { unlink(path_.c_str()); }

void NodeBoard::lock() {
  while (flock(file_, LOCK_EX) != 0 && errno == EINTR) continue;
}

void NodeBoard::unlock() { flock(file_, LOCK_UN); }

bool NodeBoard::others_asked() const { return shared_->others_asked.load() != 0; }

void NodeBoard::note_others() { shared_->others_asked.store(1); }

void NodeBoard::decide(const Decision& decision) {
  shared_->decision = decision;
  shared_->decided.store(1, std::memory_order_release);
}

const NodeBoard::Decision* NodeBoard::wait_for_decision(int decider_rank) const {
  const Entry* const its = entry(decider_rank);
  if (its == nullptr) return nullptr;
  const pid_t decider = its->process.load();
  const timespec rest{0, 1'000'000};
  for (;;) {
    if (shared_->decided.load(std::memory_order_acquire) != 0) return &shared_->decision;
    if (kill(decider, 0) != 0 && errno == ESRCH) {
      // It may have decided just before it died.
      const bool decided = shared_->decided.load(std::memory_order_acquire) != 0;
      return decided ? &shared_->decision : nullptr;
    }
    nanosleep(&rest, nullptr);
  }
}

}  // namespace latecomer::exchange
