// SPDX-License-Identifier: BSD-3-Clause
// Rows that are kept, and those that have another form.
#include "tracer/callpath/row_cache.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace latecomer::callpath;

namespace {

using SavedKind = RegisterRule::Kind;

// CFA = rsp + 48; rbx, rbp and the return address are in the words 3, 2 and 1 below it.
FrameRow usual_row() {
  FrameRow row;
  row.function = 0x4000;
  row.rules.cfa = {AddressRule::Kind::kRegister, 7, 48};
  row.rules.registers.fill({SavedKind::kSame, 0});
  row.rules.registers[3] = {SavedKind::kSaved, -24};
  row.rules.registers[6] = {SavedKind::kSaved, -16};
  row.rules.registers[16] = {SavedKind::kSaved, -8};
  return row;
}

}  // namespace

TEST_CASE("a row is found by its place") {
  RowCache cache;
  CHECK(cache.find(0x4010) == nullptr);
  CHECK(cache.find(0) == nullptr);
  cache.insert(0x4010, usual_row());
  const ShortRow* const row = cache.find(0x4010);
  REQUIRE(row != nullptr);
  CHECK(row->function == 0x4000);
  CHECK(row->cfa_register == 7);
  CHECK(row->cfa_offset == 48);
  CHECK(row->words_below == std::array<std::uint8_t, 6>{3, 2, 0, 0, 0, 0});
  CHECK(cache.find(0x4011) == nullptr);
}

TEST_CASE("rows of another form are not kept") {
  const std::vector<std::function<void(FrameRow&)>> changes = {
      [](FrameRow& row) { row.signal = true; },
      [](FrameRow& row) { row.rules.cfa.kind = AddressRule::Kind::kExpression; },
      [](FrameRow& row) { row.rules.registers[16].value = -16; },
      [](FrameRow& row) { row.rules.registers[16].kind = SavedKind::kSame; },
      [](FrameRow& row) { row.rules.registers[16].kind = SavedKind::kUndefined; },
      [](FrameRow& row) {
        row.rules.registers[7] = {SavedKind::kSaved, -32};
      },
      [](FrameRow& row) {
        row.rules.registers[0] = {SavedKind::kSaved, -32};
      },
      [](FrameRow& row) {
        row.rules.registers[12] = {SavedKind::kRegister, 3};
      },
      [](FrameRow& row) {
        row.rules.registers[12] = {SavedKind::kSaved, 8};
      },
      [](FrameRow& row) {
        row.rules.registers[12] = {SavedKind::kSaved, 0};
      },
      [](FrameRow& row) {
        row.rules.registers[12] = {SavedKind::kSaved, -12};
      },
      [](FrameRow& row) {
        row.rules.registers[12] = {SavedKind::kSaved, -8 * 256};
      },
      [](FrameRow& row) {
        row.rules.registers[15] = {SavedKind::kSavedAt, 100};
      },
  };
  for (const auto& change : changes) {
    RowCache cache;
    FrameRow row = usual_row();
    change(row);
    cache.insert(0x4010, row);
    CHECK(cache.find(0x4010) == nullptr);
  }
  RowCache cache;
  FrameRow row = usual_row();
  row.rules.registers[15] = {SavedKind::kSaved, -8 * 255};
  cache.insert(0x4010, row);
  REQUIRE(cache.find(0x4010) != nullptr);
  CHECK(cache.find(0x4010)->words_below[5] == 255);
}

TEST_CASE("rows are forgotten when a module was unloaded") {
  RowCache cache;
  cache.forget_unloaded(2);
  cache.insert(0x4010, usual_row());
  cache.forget_unloaded(2);
  CHECK(cache.find(0x4010) != nullptr);
  cache.forget_unloaded(3);
  CHECK(cache.find(0x4010) == nullptr);
}

TEST_CASE("a full cache keeps the newest rows") {
  RowCache cache;
  std::size_t kept = 0;
  for (std::uintptr_t place = 1; place < 2000; ++place) {
    cache.insert(place, usual_row());
    REQUIRE(cache.find(place) != nullptr);
  }
  for (std::uintptr_t place = 1; place < 2000; ++place)
    kept += cache.find(place) != nullptr ? 1 : 0;
  CHECK(kept > 100);
  CHECK(kept <= 256);
}
