// SPDX-License-Identifier: BSD-3-Clause
// Paths of a thread in made-up memory of an interpreter: read, found again, and told apart.
#include "tracer/callpath/python_paths.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <set>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;
using callpath::PathCache;
using callpath::PythonPaths;
using test::PythonImage;

namespace {

constexpr callpath::CallPlace kPlace{0x7000, 0x1234, 0};
constexpr callpath::FrameId kNative = PathCache::kFirstNative + 5;

// A thread of Python that is the calling one.
struct PythonThread {
  explicit PythonThread(const python::Layout& layout) : image(layout) {
    pthread_key_create(&key, nullptr);
    pthread_setspecific(key, reinterpret_cast<void*>(image.thread));
    interpreter = image.interpreter(key);
  }
  ~PythonThread() { pthread_key_delete(key); }
  PythonThread(const PythonThread&) = delete;
  PythonThread& operator=(const PythonThread&) = delete;

  PythonImage image;
  pthread_key_t key{};
  python::Interpreter interpreter;
};

}  // namespace

TEST_CASE("Python paths: the same native stack leads to many paths") {
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    PythonThread thread(layout);
    PythonPaths paths(thread.interpreter);
    CHECK(paths.read().empty());
    const auto module = thread.image.code("<module>", "a.py", 1, {});
    const auto work = thread.image.code("work", "a.py", 5, {});
    thread.image.call(module, 4);
    thread.image.call(work, 8);
    errno = 99;
    const auto frames = paths.read();
    CHECK(errno == 99);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].code == work);

    const auto find = [&] { return paths.find(kPlace, kNative, paths.read()); };
    REQUIRE(find() == PathCache::kUnknown);
    paths.insert(7);
    CHECK(find() == 7);
    // Another line of the same function; another native stack; another place of the call.
    const auto moved = [&](std::int32_t offset) {
      thread.image.call(work, offset);
      return find();
    };
    CHECK(moved(10) == PathCache::kUnknown);
    paths.insert(8);
    CHECK(find() == 8);
    CHECK(paths.find(kPlace, kNative + 1, paths.read()) == PathCache::kUnknown);
    CHECK(paths.find({0x7000, 0x1235, 0}, kNative, paths.read()) == PathCache::kUnknown);
    CHECK(find() == 8);
    // The function is gone, and another one is in its memory.
    PythonImage::set(work + layout.code_name, thread.image.text("other"));
    CHECK(find() == PathCache::kUnknown);
  }
}

TEST_CASE("Python paths: more paths than there is room for") {
  PythonThread thread(*python::layout_of(11));
  PythonPaths paths(thread.interpreter);
  const auto code = thread.image.code("f", "a.py", 1, {});
  std::vector<python::Frame> frames{{code, 0}};
  callpath::FrameId wrong = 0, kept = 0;
  for (const bool fill : {true, false}) {
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      frames[0].offset = i;
      const auto found = paths.find(kPlace, kNative, frames);
      if (fill) paths.insert(i);
      if (found == PathCache::kUnknown) continue;
      ++kept;
      if (found != i) ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(kept > 3000);
  CHECK(kept <= 4096);
}

TEST_CASE("Python paths: numbers of native stacks are no paths") {
  callpath::Stack stack{};
  std::set<callpath::FrameId> numbers;
  for (std::uintptr_t i = 0; i < 1000; ++i) {
    stack.depth = 2;
    stack.frames[0] = {i, 0};
    stack.slots[0] = 0x7000;
    const auto number = PythonPaths::native_number(stack);
    CHECK(number >= PathCache::kFirstNative);
    CHECK(number != PathCache::kUnknown);
    CHECK(PythonPaths::native_number(stack) == number);
    numbers.insert(number);
  }
  CHECK(numbers.size() == 1000);
}

TEST_CASE("Python paths: a thread state of another thread is not read") {
  PythonThread thread(*python::layout_of(11));
  thread.image.call(thread.image.code("f", "a.py", 1, {}), 0);
  PythonImage::set(thread.image.thread + thread.interpreter.layout.thread_id, std::uint64_t{1});
  CHECK(PythonPaths(thread.interpreter).read().empty());
}
