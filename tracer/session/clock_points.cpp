// SPDX-License-Identifier: BSD-3-Clause
// Agrees on the points at which clocks are measured. A broadcast announces each point. It begins at
// the point before it and ends at the operation after that one, so processes rarely wait for it.
#include "tracer/session/clock_points.hpp"

#include <optional>
#include <utility>

#include "tracer/session/clocks/clock_schedule.hpp"
#include "tracer/session/job/world.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {

// Made in MPI_Init. The value of MPI_REQUEST_NULL is only known then if the program loads MPI
// itself.
struct ClockPoints {
  ClockPoint next;                         // the next point, or the one being announced
  MPI_Request telling = MPI_REQUEST_NULL;  // broadcast that is in progress
  std::optional<ClockSchedule> schedule;   // only on rank 0
  RegionId region = 0;
};

namespace {

// Marks time that belongs to the tracer, not to the program.
class InMeasurementRegion {
 public:
  explicit InMeasurementRegion(RegionId region) : region_(region), writer_(writer()) {
    if (writer_ != nullptr) writer_->enter(region_, now());
  }
  ~InMeasurementRegion() {
    if (writer_ != nullptr) writer_->leave(region_, now());
  }
  InMeasurementRegion(const InMeasurementRegion&) = delete;
  InMeasurementRegion& operator=(const InMeasurementRegion&) = delete;

 private:
  RegionId region_;
  ThreadWriter* writer_;
};

ClockPoints& points() { return process().clock_points.points.get(); }

ClockSchedule::Nanoseconds monotonic() {
  return static_cast<ClockSchedule::Nanoseconds>(clock_nanoseconds(CLOCK_MONOTONIC));
}

void tell(std::uint64_t count, bool measured) {
  ClockPoints& p = points();
  if (p.schedule) p.next = p.schedule->next(count, monotonic(), measured);
  PMPI_Ibcast(&p.next, sizeof p.next, MPI_BYTE, 0, run()->comm, &p.telling);
}

// Completes the broadcast. It is recorded only if there was something to wait for.
void hear() {
  int done = 0;
  PMPI_Test(&points().telling, &done, MPI_STATUS_IGNORE);
  if (done == 0) {
    const InMeasurementRegion region(points().region);
    const Inside inside;
    wait_politely(points().telling, false);
  }
}

void measure_now(std::uint64_t count) {
  const InMeasurementRegion region(points().region);
  const Inside inside;
  for (const sync::Measurement& m : run()->clocks->measure(SyncMoment::kBetween, true)) {
    process().session.definitions.append(record::to_line(m));
  }
  tell(count, true);
}

}  // namespace

namespace detail {

// Called at each point, and one operation later, when the announcement of the next point must have
// arrived:
//
//   count 16      point: measure, or only begin to announce the next point
//   count 17      complete the announcement: the next point is at 53
//   count 53      point ...
void reach_clock_point(std::uint64_t count) {
  if (run() == nullptr || over()) return;
  std::uint64_t next = count + 1;
  if (points().telling != MPI_REQUEST_NULL) {
    hear();
    next = points().next.count;
  } else if (points().next.measure) {
    measure_now(count);
  } else {
    const Inside inside;
    tell(count, false);
  }
  process().clock_points.next.store(next, std::memory_order_relaxed);
}

}  // namespace detail

void begin_clock_points(std::int64_t interval) {
  run()->group->broadcast(&interval, sizeof interval, 0);
  if (interval <= 0) return;
  // MPICH 4.0 crashes when a single process that only has sessions waits for a request.
  if (run()->size == 1 && process().world.has_own) return;
  ClockPoints& p = points();
  p.region = define_clock_measurement();
  if (run()->rank == 0) p.schedule.emplace(interval, monotonic());
  p.next = ClockSchedule::first();
  process().clock_points.next.store(p.next.count);
}

void end_clock_points() {
  process().clock_points.next.store(ClockPointState::kNever);
  if (points().telling != MPI_REQUEST_NULL) wait_politely(points().telling, true);
}

}  // namespace latecomer::session
