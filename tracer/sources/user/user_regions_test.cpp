// SPDX-License-Identifier: BSD-3-Clause
// The interface of latecomer.h, as used from C++ and from Fortran.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "tests/user/recorded.hpp"
#include "tracer/include/latecomer.h"
#include "tracer/session/process/session.hpp"

using latecomer::test::recorded;

extern "C" {
void latecomer_enter_(int* handle, const char* name, size_t length);
void latecomer_leave_(const int* handle);
void latecomer_recording_(const int* on);
}

namespace {

LATECOMER_REGION(outer, "outer");

void function_region() { LATECOMER_FUNCTION(); }

void scopes(bool fail) {
  LATECOMER_SCOPE("scope");
  LATECOMER_SCOPE("inner scope");
  if (fail) throw std::runtime_error("expected");
}

}  // namespace

TEST_CASE("named regions are entered and left") {
  CHECK(recorded([] {
          LATECOMER_REGION(inner, "in ner");
          LATECOMER_ENTER(outer);
          LATECOMER_ENTER(inner);
          LATECOMER_LEAVE(inner);
          LATECOMER_LEAVE(outer);
        }) == "(outer (in ner in ner) outer) ");
}

TEST_CASE("scopes end with their block, also by an exception") {
  const std::string both = "(scope (inner scope inner scope) scope) ";
  CHECK(recorded([] { scopes(false); }) == both);
  CHECK(recorded([] { CHECK_THROWS(scopes(true)); }) == both);
  CHECK(recorded([] { function_region(); }) == "(function_region function_region) ");
}

TEST_CASE("recording off and on") {
  CHECK(recorded([] {
          LATECOMER_ENTER(outer);
          LATECOMER_RECORDING_OFF();
          LATECOMER_RECORDING_OFF();
          LATECOMER_ENTER(outer);
          LATECOMER_LEAVE(outer);
          LATECOMER_RECORDING_ON();
          LATECOMER_RECORDING_ON();
          LATECOMER_LEAVE(outer);
        }) == "(outer off on outer) ");
}

TEST_CASE("a region that was never entered cannot be left") {
  CHECK(recorded([] {
          LATECOMER_REGION(never, "never");
          LATECOMER_LEAVE(never);
        }).empty());
}

TEST_CASE("handles of the same place are one region") {
  latecomer_region a = {"same", "f.h", 7, 0, 0}, b = a, other = {"same", "f.h", 8, 0, 0};
  static_cast<void>(recorded([&] {
    LATECOMER_ENTER(a);
    LATECOMER_ENTER(b);
    LATECOMER_ENTER(other);
  }));
  CHECK(a.id == b.id);
  CHECK(a.id != other.id);
  CHECK(a.id >= latecomer::session::kFirstDefinedRegion);
}

TEST_CASE("Fortran: handles are filled in, names lose trailing blanks") {
  static int handle = 0, second = 0;
  const int off = 0, on = 1;
  CHECK(recorded([&] {
          latecomer_enter_(&handle, "solve   ", 8);
          latecomer_enter_(&second, "x", 1);
          latecomer_leave_(&second);
          latecomer_recording_(&off);
          latecomer_recording_(&on);
          latecomer_leave_(&handle);
        }) == "(solve (x x) off on solve) ");
  CHECK(handle == 1);
  CHECK(second == 2);
}

TEST_CASE("Fortran: handles that are none are left alone") {
  const int zero = 0, wrong = 4711, negative = -3;
  CHECK(recorded([&] {
          latecomer_leave_(&zero);
          latecomer_leave_(&wrong);
          latecomer_leave_(&negative);
        }).empty());
}
