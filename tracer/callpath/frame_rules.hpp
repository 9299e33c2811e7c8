// SPDX-License-Identifier: BSD-3-Clause
// Call frame information: how to find the caller's registers at a place in the code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/callpath/module_tables.hpp"

namespace latecomer::callpath {

// Rule for one register of the caller. An expression is a position in the module's tables, where
// its length and its operations are.
struct RegisterRule {
  enum class Kind : std::uint8_t {
    kSame,        // not changed
    kUndefined,   // lost; for the return address: the outermost frame
    kSaved,       // in memory at CFA + value
    kOffset,      // is CFA + value
    kRegister,    // is the register with the number `value`
    kSavedAt,     // in memory at the address that the expression at `value` yields
    kExpression,  // is what the expression at `value` yields
  };
  Kind kind;
  std::int32_t value;
};

// The canonical frame address (CFA) is the value of the stack pointer before the call.
struct AddressRule {
  enum class Kind : std::uint8_t { kNone, kRegister, kExpression };
  Kind kind;
  std::uint8_t number;  // of the register
  std::int32_t value;   // added to the register; position of the expression
};

// Rules at one place.
struct FrameRules {
  static constexpr std::size_t kRegisters = 17;

  AddressRule cfa;
  std::array<RegisterRule, kRegisters> registers;
};

struct FrameRow {
  FrameRules rules;
  std::uintptr_t function = 0;  // begin of the code that the tables describe together
  bool signal = false;          // the frame of a signal: its caller was interrupted
};

// Interprets the call frame instructions for `place` (DWARF 5, section 6.4; .eh_frame as in the
// Linux Standard Base). Returns false if there are none, or if the tables have something that this
// does not know. Then only row.function is valid: 0 if no function was found. Never reads outside
// tables.memory.
[[nodiscard]] bool find_frame_row(const ModuleTables& tables, std::uintptr_t place, FrameRow& row);

}  // namespace latecomer::callpath
