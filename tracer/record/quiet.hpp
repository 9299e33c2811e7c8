// SPDX-License-Identifier: BSD-3-Clause
// Guard for the cold paths of a writer.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>

namespace latecomer::record {

// Keeps the program's errno and blocks its signal handlers, which may
// record, too.
class Quiet {
 public:
  Quiet() : errno_(errno) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &signals_);
  }
  ~Quiet() {
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    errno = errno_;
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int errno_;
  sigset_t signals_;
};

}  // namespace latecomer::record
