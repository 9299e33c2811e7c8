// SPDX-License-Identifier: BSD-3-Clause
// Ping-pongs for sync::measure_offset; the last message brings the measured side its result.
#include "tracer/session/clocks/clock_exchange.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tracer/exchange/mpi_group.hpp"

namespace latecomer::session {
namespace {

constexpr int kTag = 1;
constexpr sync::Nanoseconds kMillisecond = 1'000'000;

// Message of the side that measures.
struct Order {
  std::int64_t stop = 0;
  sync::Offset result;  // valid with `stop`
};

// The links of one process are measured one after the other, so they share a budget of time. The
// slow links between metahosts get enough time for some rounds in any case.
sync::Limits limits_for(const ClockLink& link, int links) {
  sync::Limits limits;
  limits.time = link.between ? 1000 * kMillisecond
                             : std::clamp<sync::Nanoseconds>(2000 * kMillisecond / links,
                                                             2 * kMillisecond, 100 * kMillisecond);
  return limits;
}

}  // namespace

void wait_politely(MPI_Request& request, bool patient) {
  // Polls 100 times at full speed, then yields the core after each poll. A patient waiter sleeps
  // 0.1 ms at a time after 200 polls.
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

record::ClockDefinition agree_on_clock(exchange::Group& group, MPI_Comm world, int leader,
                                       const Moment& start, const std::string& emulation) {
  struct Message {
    std::uint64_t base_ticks;
    std::int64_t base_nanoseconds;
    double nanoseconds_per_tick;
  } message{};
  record::ClockDefinition clock;
  clock.timer = name(timer_in_use());
  clock.leader = static_cast<sync::ClockId>(leader);
  if (group.rank() == leader) {
    const record::ClockDefinition found = calibrate(start);
    message = {found.base_ticks, found.base_nanoseconds, found.nanoseconds_per_tick};
  }
  std::string model;
  if (world == MPI_COMM_NULL) {
    group.broadcast(&message, sizeof message, leader);
  } else {
    MPI_Comm sharing = MPI_COMM_NULL;
    PMPI_Comm_split(world, leader, group.rank(), &sharing);
    PMPI_Bcast(&message, sizeof message, MPI_BYTE, 0, sharing);
    model = exchange::MpiGroup(sharing).broadcast_text(emulation);
    PMPI_Comm_free(&sharing);
  }
  clock.base_ticks = message.base_ticks;
  clock.base_nanoseconds = message.base_nanoseconds;
  clock.nanoseconds_per_tick = message.nanoseconds_per_tick;
  if (const auto spec = sync::parse_clock(model); spec && !model.empty()) {
    clock.emulation = std::make_shared<const sync::ClockModel>(*spec);
  }
  return clock;
}

ClockMeasurement::ClockMeasurement(MPI_Comm world, std::vector<Place> places, SyncMode mode,
                                   const record::ClockDefinition& clock)
    : world_(world), places_(std::move(places)), mode_(mode), clock_(clock) {
  PMPI_Comm_rank(world_, &rank_);
}

std::vector<sync::Measurement> ClockMeasurement::measure(SyncMoment moment, bool together) {
  const std::vector<ClockLink> links = links_of(rank_, places_, mode_, moment);
  const auto served = static_cast<int>(
      std::ranges::count(links, rank_, [](const ClockLink& link) { return link.partner; }));
  std::vector<sync::Measurement> mine;
  for (const ClockLink& link : links) {
    if (link.partner == rank_) {
      const sync::Offset found = ask(link, served);
      sync::Nanoseconds& smallest = smallest_seen_[link.child];
      if (smallest == 0 || found.round_trip < smallest) smallest = found.round_trip;
      continue;
    }
    const Place& partner = places_[static_cast<std::size_t>(link.partner)];
    mine.push_back({number_, static_cast<sync::ClockId>(link.child),
                    static_cast<std::uint32_t>(link.partner),
                    static_cast<sync::ClockId>(partner.clock), link.schemes, link.between,
                    answer(link.partner)});
  }
  ++number_;
  if (places_.size() == 1) return mine;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(world_, &request);
  wait_politely(request, true);
  // The first barrier wakes those who sleep; the second one lets all leave at the same time.
  if (together) PMPI_Barrier(world_);
  return mine;
}

sync::Offset ClockMeasurement::ask(const ClockLink& link, int links) const {
  const auto ping_pong = [&] {
    const Order order;
    sync::Round round;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&round.remote, 1, MPI_INT64_T, link.child, kTag, world_, &request);
    const Ticks sent = now();
    PMPI_Send(&order, sizeof order, MPI_BYTE, link.child, kTag, world_);
    wait_politely(request, false);
    const Ticks received = now();
    round.sent = clock_.nanoseconds(sent);
    round.received = clock_.nanoseconds(received);
    return round;
  };
  sync::Limits limits = limits_for(link, links);
  if (const auto seen = smallest_seen_.find(link.child); seen != smallest_seen_.end()) {
    limits.smallest_seen = seen->second;
  }
  // The first round makes the connection and is not counted.
  ping_pong();
  const Order last{1, sync::measure_offset(ping_pong, limits)};
  PMPI_Send(&last, sizeof last, MPI_BYTE, link.child, kTag, world_);
  return last.result;
}

sync::Offset ClockMeasurement::answer(int partner) const {
  for (bool first = true;; first = false) {
    Order order;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&order, sizeof order, MPI_BYTE, partner, kTag, world_, &request);
    wait_politely(request, first);
    if (order.stop != 0) return order.result;
    const sync::Nanoseconds mine = time();
    PMPI_Send(&mine, 1, MPI_INT64_T, partner, kTag, world_);
  }
}

}  // namespace latecomer::session
