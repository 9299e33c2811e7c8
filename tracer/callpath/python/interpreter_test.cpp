// SPDX-License-Identifier: BSD-3-Clause
// A process that has the data of Python 3.11: this one, by symbols of the test.
#include "tracer/callpath/python/interpreter.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/callpath/python_image.hpp"

extern "C" {
extern char _PyRuntime[4096], PyCode_Type[8], PyUnicode_Type[8], PyBytes_Type[8];
extern unsigned long Py_Version;
char _PyRuntime[4096];
char PyCode_Type[8], PyUnicode_Type[8], PyBytes_Type[8];
unsigned long Py_Version = 0x030b02f0;
}

using namespace latecomer;
using test::PythonImage;

namespace {

template <typename T>
std::uintptr_t address_of(const T& symbol) {
  return reinterpret_cast<std::uintptr_t>(&symbol);
}

// The test's _PyRuntime has a key of threads, which has a value for this thread.
class Key {
 public:
  explicit Key(std::uintptr_t thread) {
    REQUIRE(pthread_key_create(&key_, nullptr) == 0);
    REQUIRE(pthread_setspecific(key_, reinterpret_cast<void*>(thread)) == 0);
    PythonImage::set(place(), std::int32_t{1});
    PythonImage::set(place() + 4, key_);
  }
  ~Key() {
    pthread_key_delete(key_);
    std::ranges::fill(_PyRuntime, 0);
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

 private:
  static std::uintptr_t place() {
    return address_of(_PyRuntime) + python::layout_of(11)->runtime_key;
  }
  pthread_key_t key_{};
};

}  // namespace

TEST_CASE("the interpreter is found by its symbols, and a thread's state by Python's key") {
  const python::Layout layout = *python::layout_of(11);
  PythonImage image(layout);
  const auto before = python::find_interpreter();  // not initialized yet
  REQUIRE(before.interpreter);
  CHECK(before.unknown.empty());
  CHECK(before.interpreter->layout.minor == 11);
  CHECK(before.interpreter->thread() == 0);
  CHECK(before.interpreter->types.code == address_of(PyCode_Type));
  {
    const Key key(image.thread);
    CHECK(before.interpreter->thread() == image.thread);
    CHECK(python::find_interpreter().interpreter);
  }
  CHECK(before.interpreter->thread() == 0);  // finalized
}

TEST_CASE("an interpreter with other structures or of another version is unknown") {
  PythonImage image(*python::layout_of(11));
  {
    // This frame's code has a type that is not the interpreter's.
    image.call(image.code("f", "a.py", 1, {}), 0);
    const Key key(image.thread);
    const auto found = python::find_interpreter();
    CHECK_FALSE(found.interpreter);
    CHECK(found.unknown == "3.11 of an unusual build");
  }
  for (const auto& [version, name] : {std::pair{0x030e00f0UL, "3.14"}, {0x030d00f0UL, "3.13"}}) {
    Py_Version = version;
    const auto found = python::find_interpreter();
    CHECK_FALSE(found.interpreter);
    CHECK(found.unknown == name);
  }
  Py_Version = 0x030b02f0;
}
