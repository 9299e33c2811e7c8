// SPDX-License-Identifier: BSD-3-Clause
// The run of a synthetic parallel program: times of all operations of each rank. It is made of
// whole numbers and a seed, so that the same options give the same trace on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::test {

enum class Pattern { kHalo, kAllreduce, kMixed };

struct RunOptions {
  std::uint32_t ranks = 16;
  std::uint64_t events = 1'000'000;  // requested; the trace has a whole number of steps
  Pattern pattern = Pattern::kMixed;
  std::uint32_t metahosts = 1;
  std::uint32_t ranks_per_node = 16;
  std::uint64_t seed = 1;
};

// Results that an analysis of the trace must have, in ticks (nanoseconds) and counts over all
// ranks.
struct Totals {
  std::uint64_t events = 0;
  std::int64_t messages = 0, bytes = 0;
  std::int64_t collectives = 0;  // participations
  std::int64_t late_sender = 0, wait_nxn = 0, barrier_wait = 0;
};

// Ranks form a torus of two dimensions. In each step every rank
//   1. computes, some longer than others,
//   2. exchanges halos: nonblocking receives and sends to four neighbours, then a waitall (halo,
//      mixed),
//   3. shifts a block around the ring of all ranks with a sendrecv (mixed),
//   4. takes part in an allreduce (allreduce, mixed; halo: every 16th step),
//   5. meets the others at a barrier (every 16th step).
// All times follow from the start of the steps and the ends of the waitalls, which are stored. The
// others are computed when they are needed.
class SyntheticRun {
 public:
  explicit SyntheticRun(const RunOptions& options);

  static constexpr std::uint64_t kHaloBytes = 8192, kShiftBytes = 65536, kReduceBytes = 64;
  static constexpr std::int64_t kCall = 300;  // shortest stay in any region, ns

  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::uint32_t metahost(std::uint32_t rank) const;
  // Neighbours in the directions west, east, north, south, of which some are missing if the torus
  // has one column or row. Data sent in direction d is received from neighbour d ^ 1.
  [[nodiscard]] const std::vector<std::uint32_t>& directions() const { return directions_; }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, std::uint32_t direction) const;
  [[nodiscard]] bool has_halo() const { return options_.pattern != Pattern::kAllreduce; }
  [[nodiscard]] bool has_shift() const { return options_.pattern == Pattern::kMixed; }
  [[nodiscard]] bool has_allreduce(std::uint32_t step) const;
  [[nodiscard]] bool has_barrier(std::uint32_t step) const { return step % 16 == 15; }

  // Times on the common clock.
  struct Step {
    std::int64_t begin = 0;                         // step enters
    std::int64_t compute_end = 0;                   // computation leaves
    std::int64_t exchange = 0;                      // exchange enters
    std::int64_t waitall = 0, waitall_end = 0;      // if has_halo()
    std::int64_t shift = 0, shift_end = 0;          // if has_shift()
    std::int64_t allreduce = 0, allreduce_end = 0;  // if has_allreduce()
    std::int64_t barrier = 0, barrier_end = 0;      // if has_barrier()
    std::int64_t end = 0;                           // step leaves
  };
  [[nodiscard]] Step step(std::uint32_t rank, std::uint32_t step) const;
  // Enter of the nonblocking receive or send number `i` of a step whose exchange begins at
  // `exchange`.
  [[nodiscard]] std::int64_t post(std::int64_t exchange, std::size_t i) const {
    return exchange + kCall * static_cast<std::int64_t>(1 + 2 * i);
  }
  [[nodiscard]] std::int64_t begin() const { return 1000; }  // MPI_Init enters
  [[nodiscard]] std::int64_t init_end() const { return begin() + 1'000'000; }
  [[nodiscard]] std::int64_t last_step_end(std::uint32_t rank) const;
  [[nodiscard]] std::int64_t finalize_end() const { return finalize_end_; }

  // Late senders, waits and counts. write_run() adds the number of events.
  [[nodiscard]] Totals totals() const;

 private:
  [[nodiscard]] std::int64_t work(std::uint32_t rank, std::uint32_t step) const;
  [[nodiscard]] std::int64_t latency(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::int64_t tree() const;  // a collective operation after its last participant
  [[nodiscard]] std::int64_t exchange_of(std::uint32_t rank, std::uint32_t step) const;
  [[nodiscard]] std::uint64_t events_per_step() const;
  [[nodiscard]] std::size_t at(std::uint32_t rank, std::uint32_t step) const {
    return std::size_t{step} * options_.ranks + rank;
  }
  void simulate();

  RunOptions options_;
  std::uint32_t columns_ = 1, rows_ = 1, steps_ = 1;
  std::vector<std::uint32_t> directions_;
  std::vector<std::int64_t> begin_, waitall_end_;         // per step and rank
  std::vector<std::int64_t> last_reduce_, last_barrier_;  // per step: the last one to come
  std::int64_t finalize_end_ = 0;
};

}  // namespace latecomer::test
