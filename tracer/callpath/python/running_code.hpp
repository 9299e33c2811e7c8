// SPDX-License-Identifier: BSD-3-Clause
// The Python function that a call of the evaluation loop ran when a sample was taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "tracer/callpath/python/interpreter.hpp"

namespace latecomer::python {

// A sample is looked at later, and then Python's frames are others. But the loop keeps the address
// of the next instruction in a register, which functions that it calls preserve or save on the
// stack. In 3.11 it also has the address of the first instruction in its frame. The sample has a
// copy of both. From 3.11 on the instructions are inside the code object, so its beginning is
// somewhere before such an address:
//
//   code object   | type | ... | instructions           |
//                              ^ in 3.11   ^ a register
//
// Code objects usually live as long as their module. One that was deleted meanwhile is not found,
// or another one is found at its place; the second needs a new function of the same memory since
// the last MPI call.
//
// MT: one thread.
class RunningCode {
 public:
  // Most bytes of instructions that are looked at.
  static constexpr std::uintptr_t kLongest = std::uintptr_t{1} << 15;

  explicit RunningCode(const Interpreter& interpreter) : interpreter_(interpreter) {}

  // True if code objects of this version contain their instructions.
  [[nodiscard]] static bool supports(const Layout& layout) { return layout.code_bytes != 0; }

  // The function that the loop ran, and the offset of the instruction, by the loop's registers and
  // the words of its frame. These may also have old values, of its callers or of functions that it
  // ran before. So the first instruction of a function counts most, then registers. What is in no
  // register must be in the frame. Empty if there is no function, or if there are several. A
  // negative offset: the instruction is not known. May allocate.
  [[nodiscard]] std::optional<Frame> find(std::span<const std::uintptr_t> registers,
                                          std::span<const std::uintptr_t> words);

 private:
  // The code object that contains an instruction; 0: none.
  [[nodiscard]] std::uintptr_t code_around(std::uintptr_t address);
  [[nodiscard]] bool contains(std::uintptr_t code, std::uintptr_t address) const;
  [[nodiscard]] std::uintptr_t first_in(std::uintptr_t code) const {
    return code + interpreter_.layout.code_bytes;
  }

  const Interpreter& interpreter_;
  std::map<std::uintptr_t, std::uintptr_t> known_;  // first instruction to code object
  std::uintptr_t entry_code_ = 0;                   // of entry frames, which is no function
};

}  // namespace latecomer::python
