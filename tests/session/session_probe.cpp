// SPDX-License-Identifier: BSD-3-Clause
// An MPI program that does the wrappers' part and checks the session's files on disk.
//   session_probe [kill|exit|busy|fork|threads]      how the run ends; default: MPI_Finalize
// busy: a thread continues to record while and after the session ends; fork: children record, too;
// threads: 500 times two of them at a time.
#include <mpi.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "tracer/session/participants.hpp"
#include "tracer/session/process/session.hpp"

using namespace latecomer;
using session::now;
using session::writer;

namespace {

constexpr record::RegionId kInit = 1, kWork = 2, kFinalize = 3;

void work(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    auto* w = writer();
    if (w == nullptr) return;
    w->enter(kWork, now());
    w->send({0, 1, 2, 3}, now());
    w->leave(kWork, now());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string end = argc > 1 ? argv[1] : "finalize";
  if (auto* w = writer(); w != nullptr) w->enter(kInit, now());
  std::thread early([] { work(10); });
  early.join();
  session::announce();
  PMPI_Init(&argc, &argv);
  session::mpi_initialized(MPI_THREAD_SINGLE);
  if (auto* w = writer(); w != nullptr) w->leave(kInit, now());
  session::define_comm({0, "world", 0, 0, {}, {0}, {}});
  work(100000);
  std::thread late([] { work(1000); });
  late.join();
  const auto region = session::define_region({0, "user", "function", "f", "f", "f.c", 1, 2});
  session::enter_region(region);
  session::leave_region(region);
  session::lost("probes", 5);
  std::atomic<bool> stop{false};
  std::thread busy;
  if (end == "busy") {
    std::atomic<bool> started{false};
    busy = std::thread([&] {
      work(100);
      started.store(true);
      while (!stop.load()) work(100);
    });
    while (!started.load()) std::this_thread::yield();
  }
  if (end == "fork") {
    for (int i = 0; i < 10; ++i) {
      if (fork() == 0) {
        work(1000);
        _exit(0);
      }
      work(1);
    }
    while (wait(nullptr) > 0) {
    }
  }
  for (int i = 0; i < 500 && end == "threads"; ++i) {
    std::barrier both(2);
    const auto one = [&] {
      work(1);
      both.arrive_and_wait();
      work(1);
    };
    std::thread a(one), b(one);
    a.join();
    b.join();
  }
  // The barrier matters: otherwise the launcher kills some processes wherever they are.
  if (end == "kill behind init") PMPI_Barrier(MPI_COMM_WORLD);
  if (end.starts_with("kill")) raise(SIGKILL);
  if (end == "exit") return 0;
  if (auto* w = writer(); w != nullptr) w->enter(kFinalize, now());
  PMPI_Barrier(MPI_COMM_WORLD);
  if (auto* w = writer(); w != nullptr) {
    w->leave(kFinalize, now());
    w->program_end(now());
  }
  session::finalize();
  if (writer() != nullptr) return 1;
  stop.store(true);
  if (busy.joinable()) busy.join();
  PMPI_Finalize();
  return 0;
}
