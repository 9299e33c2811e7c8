// SPDX-License-Identifier: BSD-3-Clause
// Cost of recording per enter + leave: prints the clock's share and the rest. The target is a rest
// of at most 20 ns (thread-local access and fresh pages included).
//   overhead_bench [FILE]      records go to FILE (default: a temporary one)
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tracer/session/process/inside.hpp"

using namespace latecomer;
using session::now;
using session::Ticks;
using session::writer;

namespace {

constexpr int kPairs = 2'000'000;
constexpr int kRepetitions = 5;

template <typename Body>
double best_ns(Body body) {
  double best = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    const Ticks begin = session::clock_nanoseconds(CLOCK_MONOTONIC);
    for (int k = 0; k < kPairs; ++k) body(static_cast<std::uint32_t>(k));
    const Ticks end = session::clock_nanoseconds(CLOCK_MONOTONIC);
    best = std::min(best, static_cast<double>(end - begin) / kPairs);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path = "/tmp/latecomer.bench.XXXXXX";
  if (argc > 1) {
    path = argv[1];
  } else {
    close(mkstemp(path.data()));
  }
  unlink(path.c_str());
  writer()->enter(0, now());
  writer()->move_to(path, 0);
  volatile Ticks sink = 0;
  const double reads = best_ns([&](std::uint32_t) {
    sink = now();
    sink = now();
  });
  const double pair = best_ns([](std::uint32_t k) {
    auto* w = writer();
    w->enter(k & 255, now());
    {
      const session::Suspend inside(w);
      asm volatile("" ::: "memory");
    }
    w->leave(k & 255, now());
  });
  const double message = best_ns([](std::uint32_t k) {
    auto* w = writer();
    const Ticks t = now();
    w->enter(k & 255, t);
    w->send({0, 1, 2, 3}, t);
    {
      const session::Suspend inside(w);
      asm volatile("" ::: "memory");
    }
    w->leave(k & 255, now());
  });
  std::printf(
      "two clock reads %.1f ns; enter+leave %.1f ns = reads + %.1f ns; with a send reads + %.1f "
      "ns\n",
      reads, pair, pair - reads, message - reads);
  unlink(path.c_str());
  return 0;
}
