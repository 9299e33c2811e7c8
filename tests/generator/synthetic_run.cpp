// SPDX-License-Identifier: BSD-3-Clause
// The run is computed step by step, each in the order of its phases. A receive ends when its
// message has arrived.
#include "tests/generator/synthetic_run.hpp"

#include <algorithm>

namespace latecomer::test {
namespace {

constexpr std::int64_t kWork = 20'000, kImbalance = 10'000, kNoise = 5'000;
constexpr std::int64_t kNear = 2'000, kFar = 50'000;  // latency within and between metahosts
constexpr std::int64_t kSnapshot = 4'000;             // work of some ranks before the barrier
constexpr std::int64_t kTree = 3'000;  // a collective inside a metahost after its last participant

std::uint64_t hash(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

SyntheticRun::SyntheticRun(const RunOptions& options) : options_(options) {
  const std::uint32_t n = options_.ranks;
  for (std::uint32_t c = 1; c * c <= n; ++c) {
    if (n % c == 0) rows_ = c;
  }
  columns_ = n / rows_;
  for (std::uint32_t d = 0; d < 4; ++d) {
    if ((d < 2 ? columns_ : rows_) > 1) directions_.push_back(d);
  }
  steps_ = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, options_.events / n * 16 / events_per_step()));
  simulate();
}

// Events of one rank in 16 steps, as write_run() writes them.
std::uint64_t SyntheticRun::events_per_step() const {
  const std::uint64_t k = directions_.size();
  std::uint64_t step = 6;             // step, compute, kernel
  if (has_halo()) step += 4 + 8 * k;  // exchange, waitall; per message 3 + 3 + 2
  if (has_shift()) step += 6;         // shift, sendrecv
  std::uint64_t all = 16 * step + 6;  // checkpoint, barrier
  return all + 6 * (options_.pattern == Pattern::kHalo ? 1 : 16);  // residual, allreduce
}

bool SyntheticRun::has_allreduce(std::uint32_t step) const {
  return options_.pattern != Pattern::kHalo || step % 16 == 15;
}

std::uint32_t SyntheticRun::metahost(std::uint32_t rank) const {
  return static_cast<std::uint32_t>(std::uint64_t{rank} * options_.metahosts / options_.ranks);
}

std::uint32_t SyntheticRun::neighbour(std::uint32_t rank, std::uint32_t direction) const {
  std::uint32_t column = rank % columns_, row = rank / columns_;
  switch (direction) {
    case 0:
      column = (column + columns_ - 1) % columns_;
      break;
    case 1:
      column = (column + 1) % columns_;
      break;
    case 2:
      row = (row + rows_ - 1) % rows_;
      break;
    default:
      row = (row + 1) % rows_;
  }
  return row * columns_ + column;
}

std::int64_t SyntheticRun::work(std::uint32_t rank, std::uint32_t step) const {
  const auto noise = static_cast<std::int64_t>(
      hash(hash(options_.seed ^ (std::uint64_t{rank} << 32 | step))) % kNoise);
  return kWork + kImbalance * (rank % 7) / 6 + noise;
}

std::int64_t SyntheticRun::latency(std::uint32_t from, std::uint32_t to) const {
  return metahost(from) == metahost(to) ? kNear : kFar;
}

std::int64_t SyntheticRun::tree() const { return kTree + (options_.metahosts > 1 ? kFar : 0); }

std::int64_t SyntheticRun::exchange_of(std::uint32_t rank, std::uint32_t step) const {
  return begin_[at(rank, step)] + 2 * kCall + work(rank, step) + 2 * kCall;
}

SyntheticRun::Step SyntheticRun::step(std::uint32_t rank, std::uint32_t number) const {
  Step s;
  s.begin = begin_[at(rank, number)];
  s.exchange = exchange_of(rank, number);
  s.compute_end = s.exchange - kCall;
  s.end = s.exchange;
  if (has_halo()) {
    s.waitall = post(s.exchange, 2 * directions_.size());
    s.waitall_end = waitall_end_[at(rank, number)];
    s.end = s.waitall_end + 2 * kCall;
  }
  if (has_shift()) {
    const std::uint32_t n = options_.ranks, left = (rank + n - 1) % n;
    const std::int64_t sent = waitall_end_[at(left, number)] + 3 * kCall;
    s.shift = waitall_end_[at(rank, number)] + 3 * kCall;
    s.shift_end = std::max(s.shift + kCall, sent + latency(left, rank));
    s.end = s.shift_end + 2 * kCall;
  }
  if (has_allreduce(number)) {
    s.allreduce = s.end + kCall;
    s.allreduce_end = last_reduce_[number] + tree() + rank % 5;
    s.end = s.allreduce_end + 2 * kCall;
  }
  if (has_barrier(number)) {
    s.barrier = s.end + kCall + kSnapshot * (rank % 3);
    s.barrier_end = last_barrier_[number] + tree() + rank % 3;
    s.end = s.barrier_end + 2 * kCall;
  }
  return s;
}

std::int64_t SyntheticRun::last_step_end(std::uint32_t rank) const {
  return step(rank, steps_ - 1).end;
}

void SyntheticRun::simulate() {
  const std::uint32_t n = options_.ranks;
  begin_.resize(std::size_t{steps_} * n);
  waitall_end_.resize(begin_.size());
  last_reduce_.resize(steps_);
  last_barrier_.resize(steps_);
  std::vector<std::int64_t> now(n, init_end() + kCall);
  for (std::uint32_t s = 0; s < steps_; ++s) {
    for (std::uint32_t r = 0; r < n; ++r) begin_[at(r, s)] = now[r];
    for (std::uint32_t r = 0; r < n && has_halo(); ++r) {
      const std::size_t k = directions_.size();
      std::int64_t end = post(exchange_of(r, s), 2 * k) + kCall;
      for (std::size_t i = 0; i < k; ++i) {
        const std::uint32_t from = neighbour(r, directions_[i] ^ 1);
        end = std::max(end, post(exchange_of(from, s), k + i) + latency(from, r));
      }
      waitall_end_[at(r, s)] = end;
    }
    // Each collective ends after the last one has entered, which needs two passes.
    for (std::uint32_t r = 0; r < n; ++r) {
      last_reduce_[s] = std::max(last_reduce_[s], step(r, s).allreduce);
    }
    for (std::uint32_t r = 0; r < n; ++r) {
      last_barrier_[s] = std::max(last_barrier_[s], step(r, s).barrier);
    }
    for (std::uint32_t r = 0; r < n; ++r) now[r] = step(r, s).end + kCall;
  }
  finalize_end_ = *std::ranges::max_element(now) + 1'000'000;
}

Totals SyntheticRun::totals() const {
  Totals t;
  const std::uint32_t n = options_.ranks;
  const std::size_t k = directions_.size();
  for (std::uint32_t s = 0; s < steps_; ++s) {
    for (std::uint32_t r = 0; r < n; ++r) {
      const Step own = step(r, s);
      if (has_halo()) {
        // A waitall waits once, for the last of its senders.
        std::int64_t wait = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const std::int64_t sent = post(exchange_of(neighbour(r, directions_[i] ^ 1), s), k + i);
          wait = std::max(wait, std::min(sent, own.waitall_end) - own.waitall);
        }
        t.late_sender += wait;
        t.messages += static_cast<std::int64_t>(k);
        t.bytes += static_cast<std::int64_t>(k * kHaloBytes);
      }
      if (has_shift()) {
        const std::int64_t sent = step((r + n - 1) % n, s).shift;
        t.late_sender += std::max<std::int64_t>(0, std::min(sent, own.shift_end) - own.shift);
        t.messages += 1;
        t.bytes += static_cast<std::int64_t>(kShiftBytes);
      }
      if (has_allreduce(s)) {
        t.wait_nxn += last_reduce_[s] - own.allreduce;
        t.collectives += 1;
      }
      if (has_barrier(s)) {
        t.barrier_wait += last_barrier_[s] - own.barrier;
        t.collectives += 1;
      }
    }
  }
  return t;
}

}  // namespace latecomer::test
