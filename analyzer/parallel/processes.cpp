// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking MPI calls with polite waiting: spin briefly, then yield, then sleep.
#include "analyzer/parallel/processes.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

namespace latecomer::parallel {
namespace {

constexpr std::size_t kRoundBytes = std::size_t{64} << 20;  // per process and round

// A process that yields takes processor time all the while, and on a machine with other load it
// takes that from the process it waits for. So it yields only for a moment. Then it sleeps, each
// time for an eighth of what it has waited already. The kernel rounds sleeps to tens of
// microseconds, unless it is asked for precise ones.
constexpr unsigned kSpins = 20;
constexpr auto kYielding = std::chrono::microseconds(50);
constexpr auto kLongestPause = std::chrono::microseconds(500);
constexpr unsigned long kTimerSlack = 1000;  // nanoseconds

// A failing MPI call inside the analyzer is a broken invariant of the run (a lost process). The MPI
// library's own message says which one; nothing can be saved.
void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "error: %s failed between analysis processes: %.*s\n", what, length, text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

}  // namespace

Processes::Processes(MPI_Comm comm) {
  check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  prctl(PR_SET_TIMERSLACK, kTimerSlack);
}

Processes::~Processes() { MPI_Comm_free(&comm_); }

void Processes::wait(std::span<MPI_Request> requests) {
  using Clock = std::chrono::steady_clock;
  int done = 0;
  Clock::time_point begin;
  for (unsigned polls = 0; done == 0; ++polls) {
    check(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (done != 0 || polls < kSpins) continue;
    if (polls == kSpins) begin = Clock::now();
    const auto waited = Clock::now() - begin;
    if (waited < kYielding) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, kLongestPause));
    }
  }
}

// First all processes exchange the amounts of data, then the data in rounds of at most kRoundBytes.
std::vector<Bytes> Processes::exchange(std::vector<Bytes> outgoing) {
  assert(outgoing.size() == static_cast<std::size_t>(size_));
  const auto n = static_cast<std::size_t>(size_);
  const auto me = static_cast<std::size_t>(rank_);
  std::vector<Bytes> incoming(n);
  std::vector<std::uint64_t> to(n), from(n);
  for (std::size_t p = 0; p < n; ++p) to[p] = p == me ? 0 : outgoing[p].size();
  MPI_Request request;
  check(MPI_Ialltoall(to.data(), 1, MPI_UINT64_T, from.data(), 1, MPI_UINT64_T, comm_, &request),
        "MPI_Ialltoall");
  wait({&request, 1});
  // Point-to-point rounds: only pairs with data exchange messages. Both know the amount, so they
  // agree on the rounds.
  const std::uint64_t slice = std::max<std::uint64_t>(kRoundBytes / n, 1 << 16);
  for (std::size_t p = 0; p < n; ++p) incoming[p].resize(from[p]);
  const auto longest = std::max(std::ranges::max(to), std::ranges::max(from));
  std::vector<MPI_Request> requests;
  for (std::uint64_t start = 0; start < longest; start += slice) {
    requests.clear();
    for (std::size_t step = 1; step < n; ++step) {
      const std::size_t source = (me + n - step) % n, target = (me + step) % n;
      if (start < from[source]) {
        const int bytes = static_cast<int>(std::min(slice, from[source] - start));
        check(MPI_Irecv(incoming[source].data() + start, bytes, MPI_BYTE, static_cast<int>(source),
                        1, comm_, &requests.emplace_back()),
              "MPI_Irecv");
      }
      if (start < to[target]) {
        const int bytes = static_cast<int>(std::min(slice, to[target] - start));
        check(MPI_Isend(outgoing[target].data() + start, bytes, MPI_BYTE, static_cast<int>(target),
                        1, comm_, &requests.emplace_back()),
              "MPI_Isend");
      }
    }
    wait(requests);
  }
  incoming[me] = std::move(outgoing[me]);
  return incoming;
}

// Built on exchange(), so that large data are sent in rounds.
std::vector<Bytes> Processes::gather(const Bytes& mine, int root) {
  std::vector<Bytes> outgoing(static_cast<std::size_t>(size_));
  outgoing[static_cast<std::size_t>(root)] = mine;
  auto incoming = exchange(std::move(outgoing));
  if (rank_ != root) incoming.clear();
  return incoming;
}

std::vector<Bytes> Processes::all_gather(const Bytes& mine) {
  return exchange(std::vector<Bytes>(static_cast<std::size_t>(size_), mine));
}

void Processes::broadcast(Bytes& data, int root) {
  std::uint64_t bytes = data.size();
  MPI_Request request;
  check(MPI_Ibcast(&bytes, 1, MPI_UINT64_T, root, comm_, &request), "MPI_Ibcast");
  wait({&request, 1});
  data.resize(bytes);
  for (std::uint64_t start = 0; start < bytes; start += kRoundBytes) {
    const int part = static_cast<int>(std::min<std::uint64_t>(kRoundBytes, bytes - start));
    check(MPI_Ibcast(data.data() + start, part, MPI_BYTE, root, comm_, &request), "MPI_Ibcast");
    wait({&request, 1});
  }
}

namespace {
template <typename T>
MPI_Request reduce(std::span<T> values, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type, op, comm,
                       &request),
        "MPI_Iallreduce");
  return request;
}
}  // namespace

std::int64_t Processes::sum(std::int64_t value) {
  sum(std::span(&value, 1));
  return value;
}

std::int64_t Processes::max(std::int64_t value) {
  auto request = reduce(std::span(&value, 1), MPI_INT64_T, MPI_MAX, comm_);
  wait({&request, 1});
  return value;
}

std::int64_t Processes::min(std::int64_t value) {
  auto request = reduce(std::span(&value, 1), MPI_INT64_T, MPI_MIN, comm_);
  wait({&request, 1});
  return value;
}

// Two reductions: the smallest value, then the lowest rank that has it.
int Processes::least(std::int64_t value) {
  const auto smallest = min(value);
  return static_cast<int>(min(value == smallest ? rank_ : size_));
}

void Processes::sum(std::span<std::int64_t> values) {
  auto request = reduce(values, MPI_INT64_T, MPI_SUM, comm_);
  wait({&request, 1});
}

void Processes::bit_or(std::span<std::uint64_t> values) {
  auto request = reduce(values, MPI_UINT64_T, MPI_BOR, comm_);
  wait({&request, 1});
}

void Processes::barrier() {
  MPI_Request request;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  wait({&request, 1});
}

void Unpacker::copy(void* to, std::size_t bytes) {
  assert(position_ + bytes <= data_.size());
  if (bytes > 0) std::memcpy(to, data_.data() + position_, bytes);
  position_ += bytes;
}

}  // namespace latecomer::parallel
