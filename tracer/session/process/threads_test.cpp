// SPDX-License-Identifier: BSD-3-Clause
// Writers of threads in a process that has not called MPI_Init: nesting, switching, fork.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/session/process/inside.hpp"

using namespace latecomer;
using namespace latecomer::session;
using record::Kind;
using record::Record;
using record::RecordReader;
using test::read_file;
using test::TemporaryDirectory;

namespace {

// Regions of the program; the last digits are shown. Regions of MPI are left out altogether while
// recording is off.
constexpr RegionId kOwn = kFirstDefinedRegion / 1000 * 1000 + 1000;

// All records that a thread makes in `work`, without records that separate processes and threads.
template <typename Work>
std::vector<Record> recorded(Work work) {
  const TemporaryDirectory directory;
  ThreadWriter* w = nullptr;
  std::thread([&] {
    w = writer();
    REQUIRE(w != nullptr);
    work();
  }).join();
  REQUIRE(w->save_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::vector<Record> all;
  for (Record r; reader->next(r);) {
    if (r.kind != Kind::kProgramBegin && r.kind != Kind::kCallPath) all.push_back(r);
  }
  return all;
}

std::string shape(const std::vector<Record>& records) {
  std::string text;
  for (const Record& r : records) {
    switch (r.kind) {
      case Kind::kEnter:
        text += '(' + std::to_string(r.id % 1000) + ' ';
        break;
      case Kind::kLeave:
        text += std::to_string(r.id % 1000) + ") ";
        break;
      case Kind::kMeasurement:
        text += r.id != 0 ? "on " : "off ";
        break;
      default:
        text += "? ";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("regions are recorded with rising times") {
  const auto all = recorded([] {
    enter_region(1);
    enter_region(2);
    leave_region(2);
    leave_region(1);
  });
  CHECK(shape(all) == "(1 (2 2) 1) ");
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].ticks >= all[i - 1].ticks);
}

TEST_CASE("calls from inside MPI record nothing") {
  const auto all = recorded([] {
    auto* w = writer();
    w->enter(1, now());
    {
      const Suspend inside(w);
      CHECK(writer() == nullptr);
      enter_region(2);
      leave_region(2);
      // A setting changes for all threads meanwhile; this thread is still inside.
      process().session.generation.fetch_add(1);
      CHECK(writer() == nullptr);
    }
    CHECK(writer() == w);
    w->leave(1, now());
  });
  CHECK(shape(all) == "(1 1) ");
}

TEST_CASE("regions stay balanced when recording is switched inside of them") {
  const auto all = recorded([] {
    enter_region(kOwn + 1);
    enter_region(kOwn + 2);
    recording(false);
    CHECK(writer() != nullptr);  // it counts what it leaves out
    CHECK_FALSE(recording(Cause::kProgram));
    leave_region(kOwn + 2);  // it was entered while recording was on
    enter_region(kOwn + 3);
    enter_region(kOwn + 4);
    leave_region(kOwn + 4);
    enter_region(kOwn + 5);  // 3 and 5 are open when recording continues
    recording(true);
    leave_region(kOwn + 5);
    leave_region(kOwn + 3);
    leave_region(kOwn + 1);
  });
  CHECK(shape(all) == "(1 (2 off 2) on (3 (5 5) 3) 1) ");
}

TEST_CASE("all threads notice that recording is switched") {
  const auto all = recorded([] {
    enter_region(kOwn + 1);
    std::thread([] { recording(false); }).join();
    enter_region(kOwn + 2);
    leave_region(kOwn + 2);
    std::thread([] { recording(true); }).join();
    leave_region(kOwn + 1);
  });
  CHECK(shape(all) == "(1 off on 1) ");
}

TEST_CASE("a forked child records nothing and leaves the parent's records alone") {
  const auto all = recorded([] {
    enter_region(1);
    const pid_t child = fork();
    if (child == 0) {
      enter_region(2);
      leave_region(2);
      define_region({});
      lost("anything");
      _exit(writer() == nullptr ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    leave_region(1);
  });
  CHECK(shape(all) == "(1 1) ");
}

TEST_CASE("regions get ids above the MPI functions, from any thread") {
  RegionId a = 0, b = 0;
  std::thread([&] { a = define_region({}); }).join();
  b = define_region({});
  CHECK(a >= kFirstDefinedRegion);
  CHECK(b > a);
}

TEST_CASE("errno of the program survives") {
  recorded([] {
    errno = 99;
    enter_region(1);
    define_region({});
    recording(false);
    recording(true);
    lost("something", 3);
    CHECK(errno == 99);
    leave_region(1);
  });
}

TEST_CASE("known call paths serve the next thread only on the same stack") {
  // Known paths depend on words up to the end of the stack: a shorter stack may not have these.
  constexpr std::size_t kStack = std::size_t{1} << 20;
  alignas(4096) static std::byte memory[kStack];
  const auto on_stack = [](std::size_t bytes, auto work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstack(&attributes, memory, bytes) == 0);
    pthread_t thread{};
    const auto start = [](void* w) -> void* {
      (*static_cast<decltype(work)*>(w))();
      return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, start, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  };
  std::unique_ptr<detail::ThreadPaths> paths;
  const callpath::CallPlace place{reinterpret_cast<std::uintptr_t>(memory + 4096), 2, 3};
  on_stack(kStack, [&] {
    paths = std::make_unique<detail::ThreadPaths>();
    paths->cache.insert(place, {}, 7);
  });
  on_stack(kStack, [&] { paths->begin_thread(); });
  CHECK(paths->cache.find(place) == 7);
  on_stack(kStack / 2, [&] { paths->begin_thread(); });
  CHECK(paths->cache.find(place) == callpath::PathCache::kUnknown);
}
