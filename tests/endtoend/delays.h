/* SPDX-License-Identifier: BSD-3-Clause */
/* Delays of chosen length, and the clock by which programs say how long threads waited. */
#ifndef LATECOMER_TESTS_ENDTOEND_DELAYS_H
#define LATECOMER_TESTS_ENDTOEND_DELAYS_H

#include <time.h>

#define MILLISECOND 1000000LL

static inline long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 * MILLISECOND + t.tv_nsec;
}

static inline void delay(int milliseconds) {
  struct timespec t = {0, milliseconds * MILLISECOND};
  nanosleep(&t, NULL);
}

#endif
