// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds per record for the conversion to events: conversion_bench [million calls]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;

int main(int argc, char** argv) {
  const auto calls = static_cast<std::uint64_t>((argc > 1 ? std::atof(argv[1]) : 2.0) * 1e6);
  Experiment e(2);
  e.thread(1);
  auto& w = e.thread(0);
  const std::uint32_t send = mpi("MPI_Send"), reduce = mpi("MPI_Allreduce"), wait = mpi("MPI_Wait");
  std::uint64_t t = 0, records = 0;
  for (std::uint64_t i = 0; i < calls / 3; ++i) {
    w.enter(send, t += 500);
    w.send({0, 1, 5, 1024}, t);
    w.leave(send, t += 300);
    w.enter(wait, t += 200);
    w.irecv({0, 1, 5, 1024}, i, t += 300);
    w.leave(wait, t);
    w.enter(reduce, t += 500);
    w.collective_begin(t);
    w.collective_end({0, 11, record::kRootNone, 8, 8}, t += 900);
    w.leave(reduce, t);
    records += 10;
  }
  e.finish();
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t begin_cpu = std::clock();
  const auto report = convert::repair(e.path());
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  if (!report || report->events != records) return 1;
  const double cpu = static_cast<double>(std::clock() - begin_cpu) / CLOCKS_PER_SEC * 1e9;
  const auto count = static_cast<double>(records);
  std::printf("%.0f records: %.1f ns per record, %.1f ns of processor time\n", count,
              time.count() / count, cpu / count);
  return 0;
}
