// SPDX-License-Identifier: BSD-3-Clause
// Functions in which a thread may be blocked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace latecomer::blocking {

// Replaced here, in other folders, and names that the C library's headers make of calls in programs
// that ask for checks of sizes. clang-format would indent the lists anew each time.
// clang-format off
#define LATECOMER_BLOCKING_REPLACED(X) \
  X(sleep) X(usleep) X(nanosleep) X(clock_nanosleep) X(thrd_sleep) X(pause) X(sigsuspend) \
  X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(poll) X(ppoll) X(select) X(pselect) X(epoll_wait) \
  X(epoll_pwait) X(recv) X(recvfrom) X(recvmsg) X(send) X(sendto) X(sendmsg) X(accept) X(accept4) \
  X(connect) X(wait) X(wait3) X(wait4) X(waitpid) X(waitid) X(system) X(flock) X(lockf) \
  X(lockf64) X(semop) X(semtimedop)
#define LATECOMER_BLOCKING_CHECKED(X) X(__poll_chk) X(__ppoll_chk) X(__recv_chk) X(__recvfrom_chk)
#define LATECOMER_BLOCKING_ELSEWHERE(X) \
  X(read) X(write) X(readv) X(writev) X(pthread_mutex_lock) X(pthread_mutex_timedlock) \
  X(pthread_mutex_clocklock) X(pthread_cond_wait) X(pthread_cond_timedwait) \
  X(pthread_cond_clockwait) X(pthread_barrier_wait) X(pthread_join) X(sem_wait) X(sem_timedwait) X(sem_clockwait)
// clang-format on

enum class Function : std::uint8_t {
#define LATECOMER_ONE(name) k_##name,
  LATECOMER_BLOCKING_REPLACED(LATECOMER_ONE) LATECOMER_BLOCKING_ELSEWHERE(LATECOMER_ONE)
#undef LATECOMER_ONE
      kCount
};

// Those whose address is needed here.
enum class Symbol : std::size_t {
#define LATECOMER_ONE(name) k_##name,
  LATECOMER_BLOCKING_REPLACED(LATECOMER_ONE) LATECOMER_BLOCKING_CHECKED(LATECOMER_ONE)
#undef LATECOMER_ONE
      kCount
};

}  // namespace latecomer::blocking
