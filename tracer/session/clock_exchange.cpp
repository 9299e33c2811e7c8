// SPDX-License-Identifier: BSD-3-Clause
// Ping-pongs for sync::measure_offset, and the way of the results to all processes.
#include "tracer/session/clock_exchange.hpp"

#include <sched.h>
#include <time.h>

#include <utility>

namespace latecomer::session {
namespace {

constexpr int kTag = 1;
constexpr std::int64_t kPing = 1;
constexpr std::int64_t kStop = 0;

}  // namespace

void wait_politely(MPI_Request& request, bool patient) {
  int done = 0;
  for (unsigned polls = 0; done == 0; ++polls) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || polls < 100) continue;
    if (patient && polls > 200) {
      const timespec pause{0, 100'000};
      nanosleep(&pause, nullptr);
    } else {
      sched_yield();
    }
  }
}

record::ClockDefinition agree_on_clock(MPI_Comm world, int leader, const Moment& start) {
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split(world, leader, rank, &node);
  struct Message {
    std::uint64_t base_ticks;
    std::int64_t base_nanoseconds;
    double nanoseconds_per_tick;
  } message{};
  record::ClockDefinition clock;
  clock.timer = name(timer_in_use());
  if (rank == leader) {
    clock = calibrate(start);
    message = {clock.base_ticks, clock.base_nanoseconds, clock.nanoseconds_per_tick};
  }
  PMPI_Bcast(&message, sizeof message, MPI_BYTE, 0, node);
  PMPI_Comm_free(&node);
  clock.base_ticks = message.base_ticks;
  clock.base_nanoseconds = message.base_nanoseconds;
  clock.nanoseconds_per_tick = message.nanoseconds_per_tick;
  return clock;
}

OffsetMeasurement::OffsetMeasurement(MPI_Comm world, int leader, std::vector<int> leaders,
                                     const record::ClockDefinition& clock)
    : world_(world), leader_(leader), leaders_(std::move(leaders)), clock_(clock) {
  PMPI_Comm_rank(world_, &rank_);
}

record::OffsetDefinition OffsetMeasurement::measure() {
  struct Message {
    std::int64_t local, offset, error;
  };
  std::vector<Message> all;
  if (rank_ == 0) {
    std::map<int, Message> of_node;
    of_node[0] = {};
    for (const int leader : leaders_) {
      if (of_node.contains(leader)) continue;
      const sync::Offset found = ask(leader);
      of_node[leader] = {found.remote, found.offset, found.error};
    }
    for (const int leader : leaders_) all.push_back(of_node[leader]);
  } else if (rank_ == leader_) {
    answer();
  }
  Message mine{};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iscatter(all.data(), sizeof(Message), MPI_BYTE, &mine, sizeof(Message), MPI_BYTE, 0, world_,
                &request);
  wait_politely(request, true);
  if (leader_ == 0) mine.local = time();
  return {mine.local, mine.offset, mine.error};
}

sync::Offset OffsetMeasurement::ask(int leader) {
  const auto ping_pong = [&] {
    sync::Round round;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&round.remote, 1, MPI_INT64_T, leader, kTag, world_, &request);
    const Ticks sent = now();
    PMPI_Send(&kPing, 1, MPI_INT64_T, leader, kTag, world_);
    wait_politely(request, false);
    const Ticks received = now();
    round.sent = clock_.nanoseconds(sent);
    round.received = clock_.nanoseconds(received);
    return round;
  };
  sync::Limits limits;
  sync::Nanoseconds& smallest = smallest_seen_[leader];
  limits.smallest_seen = smallest;
  // The first round makes the connection.
  ping_pong();
  const sync::Offset found = sync::measure_offset(ping_pong, limits);
  if (smallest == 0 || found.round_trip < smallest) smallest = found.round_trip;
  PMPI_Send(&kStop, 1, MPI_INT64_T, leader, kTag, world_);
  return found;
}

void OffsetMeasurement::answer() const {
  for (bool first = true;; first = false) {
    std::int64_t order = kStop;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&order, 1, MPI_INT64_T, 0, kTag, world_, &request);
    wait_politely(request, first);
    if (order == kStop) return;
    const sync::Nanoseconds mine = time();
    PMPI_Send(&mine, 1, MPI_INT64_T, 0, kTag, world_);
  }
}

}  // namespace latecomer::session
