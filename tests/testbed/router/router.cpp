// SPDX-License-Identifier: BSD-3-Clause
// testbed-router: forwards IP packets between network namespaces with a given delay.
//
// It reads its table (table.hpp) from standard input, creates the devices, closes standard output
// as soon as packets can flow, and runs until SIGTERM. Then it prints problems, if there were any.
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <iostream>

#include "tests/testbed/router/device.hpp"
#include "tests/testbed/router/forwarder.hpp"

namespace latecomer::testbed {
namespace {

Nanoseconds now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * Nanoseconds{1'000'000'000} + t.tv_nsec;
}

// The router must run at the moment a packet is due, whatever the ranks do.
void ask_for_precision() {
  sched_param priority{};
  priority.sched_priority = 10;
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    std::cerr << "router: no real-time priority: latencies will be less precise\n";
  }
  prctl(PR_SET_TIMERSLACK, 1);
  mlockall(MCL_CURRENT);
}

int stop_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

void watch(int epoll, int file) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = file;
  epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event);
}

// The kernel wakes the router some microseconds after the requested time. The request is a little
// earlier, and the rest is spent on reading the clock.
constexpr Nanoseconds kEarlier = 50'000;

void forward_until_stopped(Forwarder& forwarder, const std::vector<int>& devices) {
  const int stop = stop_signal();
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(epoll, stop);
  for (int device : devices) watch(epoll, device);
  while (true) {
    timespec timeout{};
    const Nanoseconds due = forwarder.next_due();
    const Nanoseconds wait = due == Forwarder::kNothingDue ? 0 : due - now() - kEarlier;
    if (wait > 0) timeout = {wait / 1'000'000'000, wait % 1'000'000'000};
    epoll_event events[16];
    const int ready = epoll_pwait2(epoll, events, 16,
                                   due == Forwarder::kNothingDue ? nullptr : &timeout, nullptr);
    for (int i = 0; i < ready; ++i) {
      if (events[i].data.fd == stop) return;
      forwarder.receive(events[i].data.fd, now);
    }
    forwarder.send_due(now);
  }
}

int run() {
  const Result<Table> table = read_table(std::cin);
  if (!table) {
    std::cerr << table.problem().text();
    return static_cast<int>(table.problem().status);
  }
  std::vector<int> devices;
  for (const Space& space : table->spaces) {
    const Result<int> device = open_device(space);
    if (!device) {
      std::cerr << device.problem().text();
      return static_cast<int>(device.problem().status);
    }
    devices.push_back(*device);
  }
  Forwarder forwarder(*table, devices);
  ask_for_precision();
  close(STDOUT_FILENO);
  forward_until_stopped(forwarder, devices);
  std::cerr << forwarder.complaints();
  return 0;
}

}  // namespace
}  // namespace latecomer::testbed

int main() { return latecomer::testbed::run(); }
