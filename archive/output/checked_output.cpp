// SPDX-License-Identifier: BSD-3-Clause
// Looks at the error flags of standard output when everything has been written.
#include "archive/output/checked_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "archive/result.hpp"

namespace latecomer {
namespace {

bool reader_has_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

void hold_streams() {
  // The lowest number is taken first, so a stream that is closed gets its own.
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // Only messages get lost without an error.
    static_cast<void>(open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

int checked_output(int status) {
  std::cout.flush();
  const bool whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (whole || reader_has_gone()) return status;
  std::fputs(Problem{"cannot write the output", ""}.text().c_str(), stderr);
  const bool had_result =
      status == static_cast<int>(Exit::kOk) || status == static_cast<int>(Exit::kPartial);
  return had_result ? static_cast<int>(Exit::kBadInput) : status;
}

}  // namespace latecomer
