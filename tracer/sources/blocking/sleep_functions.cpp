// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions that sleep, or wait for a signal, a lock of files, or a semaphore of System V.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "tracer/sources/blocking/replaced_blocking.hpp"

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED unsigned sleep(unsigned seconds) { return LATECOMER_BLOCKING(sleep, seconds); }

LATECOMER_REPLACED int usleep(useconds_t microseconds) {
  return LATECOMER_BLOCKING(usleep, microseconds);
}

LATECOMER_REPLACED int nanosleep(const timespec* time, timespec* rest) {
  return LATECOMER_BLOCKING(nanosleep, time, rest);
}

LATECOMER_REPLACED int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                       timespec* rest) {
  return LATECOMER_BLOCKING(clock_nanosleep, clock, flags, time, rest);
}

LATECOMER_REPLACED int thrd_sleep(const timespec* time, timespec* rest) {
  return LATECOMER_BLOCKING(thrd_sleep, time, rest);
}

LATECOMER_REPLACED int pause() { return LATECOMER_BLOCKING(pause); }

LATECOMER_REPLACED int sigsuspend(const sigset_t* blocked) {
  return LATECOMER_BLOCKING(sigsuspend, blocked);
}

LATECOMER_REPLACED int sigwait(const sigset_t* signals, int* signal) {
  return LATECOMER_BLOCKING(sigwait, signals, signal);
}

LATECOMER_REPLACED int sigwaitinfo(const sigset_t* signals, siginfo_t* about) {
  return LATECOMER_BLOCKING(sigwaitinfo, signals, about);
}

LATECOMER_REPLACED int sigtimedwait(const sigset_t* signals, siginfo_t* about,
                                    const timespec* most) {
  return LATECOMER_BLOCKING(sigtimedwait, signals, about, most);
}

LATECOMER_REPLACED int flock(int descriptor, int operation) noexcept {
  return LATECOMER_BLOCKING(flock, descriptor, operation);
}

LATECOMER_REPLACED int lockf(int descriptor, int command, off_t size) {
  return LATECOMER_BLOCKING(lockf, descriptor, command, size);
}

LATECOMER_REPLACED int lockf64(int descriptor, int command, off64_t size) {
  return LATECOMER_BLOCKING(lockf64, descriptor, command, size);
}

LATECOMER_REPLACED int semop(int semaphores, sembuf* operations, std::size_t count) noexcept {
  return LATECOMER_BLOCKING(semop, semaphores, operations, count);
}

LATECOMER_REPLACED int semtimedop(int semaphores, sembuf* operations, std::size_t count,
                                  const timespec* most) noexcept {
  return LATECOMER_BLOCKING(semtimedop, semaphores, operations, count, most);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
