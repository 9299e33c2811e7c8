// SPDX-License-Identifier: BSD-3-Clause
// Statuses of programs whose output can be written, cannot be written, or has no reader.
#include "archive/output/checked_output.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace {

// The status of a process that makes its streams, prints, and ends with a status.
template <typename MakeStreams>
int status_of(const MakeStreams& make, int status, bool prints = true) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_IGN);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    make();
    latecomer::hold_streams();
    if (prints) {
      std::fputs("text\n", stdout);
      std::cout << "more\n";
    }
    _exit(latecomer::checked_output(status));
  }
  int got = -1;
  waitpid(child, &got, 0);
  return WIFEXITED(got) ? WEXITSTATUS(got) : -1;
}

}  // namespace

TEST_CASE("output that cannot be written is an error") {
  const auto full = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  const auto closed = [] { close(STDOUT_FILENO); };
  const auto nowhere = [] { dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO); };
  for (const int status : {0, 1, 2, 3, 4}) {
    const int expected = status == 0 || status == 4 ? 3 : status;
    CHECK(status_of(full, status) == expected);
    CHECK(status_of(closed, status) == expected);
    CHECK(status_of(nowhere, status) == status);
    CHECK(status_of(full, status, false) == status);
    CHECK(status_of(closed, status, false) == status);
  }
}

TEST_CASE("a reader who has gone is no error") {
  const auto left = [] {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
  };
  CHECK(status_of(left, 0) == 0);
}

TEST_CASE("no file takes the number of a closed stream") {
  const auto all_closed = [] {
    for (const int number : {0, 1, 2}) close(number);
  };
  CHECK(status_of(all_closed, 0) == 3);
  CHECK(status_of(
            [&] {
              all_closed();
              latecomer::hold_streams();
              if (open("/dev/null", O_WRONLY) <= STDERR_FILENO) _exit(100);
            },
            4, false) == 4);
}
