// SPDX-License-Identifier: BSD-3-Clause
// When calls are recorded: by threads that record, in the program, and not in signal handlers whose
// call path is new.
#include "tracer/sources/files/file_call.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csetjmp>
#include <csignal>
#include <thread>

#include "tests/files/probe.hpp"
#include "tests/files/recorded_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/session/process/session.hpp"

using namespace latecomer;
using namespace latecomer::test;
using Lines = std::vector<std::string>;

namespace {

const Lines kWrites = {"enter write", "wrote null 3 of 3", "leave write"};
const int null_device = open("/dev/null", O_RDWR | O_APPEND);

void write_three() { probe::write_bytes(null_device, "abc", 3); }
Lines twice(const Lines& lines) {
  Lines both = lines;
  both.insert(both.end(), lines.begin(), lines.end());
  return both;
}

sigjmp_buf back;

// Sends a signal to a thread that will wait by then.
std::jthread alarm_for(pthread_t thread) {
  return std::jthread([thread] {
    usleep(20'000);
    pthread_kill(thread, SIGALRM);
  });
}

}  // namespace

TEST_CASE("calls in MPI or in the measurement, and without a writer, are not recorded") {
  CHECK(recorded_calls(write_three) == kWrites);
  CHECK(recorded_calls([] {
          const session::Suspend inside(session::writer());
          write_three();
        }).empty());
  CHECK(recorded_calls([] { std::thread(write_three).join(); }).empty());
  // This program is the measurement library here.
  CHECK(recorded_calls([] { static_cast<void>(!::write(null_device, "abc", 3)); }).empty());
}

TEST_CASE("calls after definitions are recorded") {
  CHECK(recorded_calls([] {
          write_three();
          session::define_property("some", "thing");
          write_three();
        }) == twice(kWrites));
}

TEST_CASE("nothing is recorded while recording is off") {
  CHECK(recorded_calls([] {
          session::recording(false);
          write_three();
          session::recording(true);
          write_three();
        }) == kWrites);
}

TEST_CASE("calls in a signal handler are counted") {
  std::signal(SIGUSR1, [](int) { write_three(); });
  CHECK(recorded_calls([] {
          write_three();
          std::raise(SIGUSR1);
          write_three();
        }) == twice(kWrites));
  std::signal(SIGUSR1, SIG_DFL);
  CHECK(last_uncounted().left_out == 1);
}

TEST_CASE("a handler that jumps out of a call leaves later ones as they are") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::signal(SIGALRM, [](int) { siglongjmp(back, 1); });
  const Lines lines = recorded_calls([&] {
    char byte = 0;
    const std::jthread later = alarm_for(pthread_self());
    if (sigsetjmp(back, 1) == 0) probe::read_bytes(ends[0], &byte, 1);
    write_three();
  });
  std::signal(SIGALRM, SIG_DFL);
  close(ends[0]);
  close(ends[1]);
  CHECK(lines == Lines{"enter read", "enter write", "wrote null 3 of 3", "leave write"});
}

TEST_CASE("an interrupted call fails as it does without records") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  struct sigaction interrupt {};
  interrupt.sa_handler = [](int) {};
  sigaction(SIGALRM, &interrupt, nullptr);
  long result = 0;
  int error = 0;
  const Lines lines = recorded_calls([&] {
    char byte = 0;
    const std::jthread later = alarm_for(pthread_self());
    result = probe::read_bytes(ends[0], &byte, 1);
    error = errno;
  });
  std::signal(SIGALRM, SIG_DFL);
  close(ends[0]);
  close(ends[1]);
  CHECK(result == -1);
  CHECK(error == EINTR);
  CHECK(lines == Lines{"enter read", "read pipe 0 of 1", "leave read"});
}

TEST_CASE("children record nothing, whichever way they are forked") {
  for (const bool plain : {true, false}) {
    CHECK(recorded_calls([&] {
            write_three();
            const auto child =
                plain
                    ? fork()
                    : static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
            if (child == 0) {
              write_three();
              probe::close_file(null_device);
              _exit(files::candidate() == nullptr ? 0 : 1);
            }
            int status = -1;
            waitpid(child, &status, 0);
            CHECK(status == 0);
            write_three();
          }) == twice(kWrites));
  }
}

TEST_CASE("a call that is cancelled ends with its thread") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Lines lines = recorded_calls([&] {
    std::jthread reader([&] {
      session::writer();
      char byte = 0;
      probe::read_bytes(ends[0], &byte, 1);
    });
    usleep(20'000);
    pthread_cancel(reader.native_handle());
  });
  close(ends[0]);
  close(ends[1]);
  CHECK(lines.empty());
}
