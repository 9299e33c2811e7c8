// SPDX-License-Identifier: BSD-3-Clause
// Records of instrumented code.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/user/instrumented.hpp"
#include "tests/user/recorded.hpp"
#include "tracer/session/process/session.hpp"

using latecomer::test::events;
using latecomer::test::recorded;

TEST_CASE("functions are entered and left under their names") {
  CHECK(recorded([] { instrumented::foo(); }) == "(foo (leaf leaf) (leaf leaf) foo) ");
}

TEST_CASE("a function that throws is left") {
  const auto text = recorded([] { instrumented::throwing(); });
#ifdef __clang__
  // Functions of clang do not say that an exception leaves them. The conversion adds the leave.
  CHECK(text == "(throwing (thrower (leaf leaf) throwing) ");
#else
  CHECK(text == "(throwing (thrower thrower) (leaf leaf) throwing) ");
#endif
}

TEST_CASE("recursion is recorded level by level") {
  // A depth of 3 gives four calls.
  CHECK(events(recorded([] { instrumented::recursive(3); })) == 8);
}

TEST_CASE("static constructors run before anything and are no danger") {
  CHECK(instrumented::constructor_ran());
}

TEST_CASE("regions of the user stand among compiled functions") {
  CHECK(recorded([] { instrumented::with_region(); }) ==
        "(with_region (marked (leaf leaf) marked) with_region) ");
}

TEST_CASE("nothing is recorded inside MPI or the tracer") {
  CHECK(recorded([] {
          const latecomer::session::Suspend inside(latecomer::session::writer());
          instrumented::foo();
          instrumented::many(0, 5);  // not called before
        }).empty());
  // Functions that were first called inside MPI are recorded outside.
  CHECK(recorded([] { instrumented::many(0, 2); }) ==
        "(numbered<0> numbered<0>) (numbered<1> numbered<1>) ");
}

TEST_CASE("threads that meet new functions at the same time agree on them") {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 10; ++round) instrumented::many(100, 800);
    });
  }
  for (auto& thread : threads) thread.join();
  const auto text = recorded([] { instrumented::many(100, 800); });
  CHECK(events(text) == 1600);
  CHECK(text.find('?') == std::string::npos);
}

TEST_CASE("switching recording off leaves out functions, and the nesting stays right") {
  const auto text = recorded([] {
    instrumented::leaf();
    latecomer::session::recording(false);
    instrumented::foo();
    latecomer::session::recording(true);
    instrumented::leaf();
  });
  CHECK(text == "(leaf leaf) off on (leaf leaf) ");
}

TEST_CASE("a signal handler may be instrumented and keeps errno") {
  struct sigaction action {};
  action.sa_handler = [](int) { instrumented::foo(); };
  REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0);
  const auto text = recorded([] {
    errno = 77;
    raise(SIGUSR1);
    CHECK(errno == 77);
  });
  CHECK(text == "(foo (leaf leaf) (leaf leaf) foo) ");
}
