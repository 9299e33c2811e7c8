// SPDX-License-Identifier: BSD-3-Clause
// Compilers have expressions for stubs of the PLT and for frames with a larger alignment.
#include "tracer/callpath/frame_expression.hpp"

#include <array>
#include <utility>

#include "tracer/callpath/table_reader.hpp"

namespace latecomer::callpath {

namespace {

// A stack of values. A missing value or a full stack makes it fail, and all values 0.
class ExpressionStack {
 public:
  void push(std::uint64_t value) {
    if (count_ == values_.size()) {
      fail();
    } else {
      values_[count_++] = value;
    }
  }
  std::uint64_t pop() {
    if (count_ == 0) {
      fail();
      return 0;
    }
    return values_[--count_];
  }
  void pick(std::size_t depth) {
    if (depth >= count_) return fail();
    push(values_[count_ - 1 - depth]);
  }
  void swap() {
    const std::uint64_t top = pop(), below = pop();
    push(top);
    push(below);
  }
  void fail() {
    ok_ = false;
    count_ = 0;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  static constexpr std::size_t kMostValues = 16;
  std::array<std::uint64_t, kMostValues> values_;
  std::size_t count_ = 0;
  bool ok_ = true;
};

// Operations on the value below the top and the top. Comparisons are signed.
std::optional<std::uint64_t> combine(std::uint8_t operation, std::uint64_t below,
                                     std::uint64_t top) {
  const auto signed_below = static_cast<std::int64_t>(below);
  const auto signed_top = static_cast<std::int64_t>(top);
  switch (operation) {
    case 0x1a:  // DW_OP_and
      return below & top;
    case 0x1c:  // DW_OP_minus
      return below - top;
    case 0x1e:  // DW_OP_mul
      return below * top;
    case 0x21:  // DW_OP_or
      return below | top;
    case 0x22:  // DW_OP_plus
      return below + top;
    case 0x24:  // DW_OP_shl
      return top < 64 ? below << top : 0;
    case 0x25:  // DW_OP_shr
      return top < 64 ? below >> top : 0;
    case 0x27:  // DW_OP_xor
      return below ^ top;
    case 0x29:  // DW_OP_eq
      return below == top ? 1 : 0;
    case 0x2a:  // DW_OP_ge
      return signed_below >= signed_top ? 1 : 0;
    case 0x2b:  // DW_OP_gt
      return signed_below > signed_top ? 1 : 0;
    case 0x2c:  // DW_OP_le
      return signed_below <= signed_top ? 1 : 0;
    case 0x2d:  // DW_OP_lt
      return signed_below < signed_top ? 1 : 0;
    case 0x2e:  // DW_OP_ne
      return below != top ? 1 : 0;
    default:
      return {};
  }
}

// Operations that push a constant.
std::optional<std::uint64_t> constant(std::uint8_t operation, TableReader& code) {
  constexpr std::uint8_t kFirstLiteral = 0x30, kLastLiteral = 0x4f;
  const auto extended = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  if (operation >= kFirstLiteral && operation <= kLastLiteral) return operation - kFirstLiteral;
  switch (operation) {
    case 0x08:  // DW_OP_const1u
      return code.byte();
    case 0x09:  // DW_OP_const1s
      return extended(code.fixed<std::int8_t>());
    case 0x0a:  // DW_OP_const2u
      return code.fixed<std::uint16_t>();
    case 0x0b:  // DW_OP_const2s
      return extended(code.fixed<std::int16_t>());
    case 0x0c:  // DW_OP_const4u
      return code.fixed<std::uint32_t>();
    case 0x0d:  // DW_OP_const4s
      return extended(code.fixed<std::int32_t>());
    case 0x03:  // DW_OP_addr
    case 0x0e:  // DW_OP_const8u
    case 0x0f:  // DW_OP_const8s
      return code.fixed<std::uint64_t>();
    case 0x10:  // DW_OP_constu
      return code.unsigned_leb();
    case 0x11:  // DW_OP_consts
      return extended(code.signed_leb());
    default:
      return {};
  }
}

// Returns false at an operation that is not known.
bool execute(std::uint8_t operation, TableReader& code, const Registers& registers,
             const StackCopy& copy, ExpressionStack& stack) {
  constexpr std::uint8_t kFirstBase = 0x70, kLastBase = 0x8f, kBase = 0x92;
  if ((operation >= kFirstBase && operation <= kLastBase) || operation == kBase) {  // DW_OP_breg*
    const std::uint64_t number =
        operation == kBase ? code.unsigned_leb() : std::uint64_t{operation} - kFirstBase;
    const auto offset = static_cast<std::uint64_t>(code.signed_leb());
    if (!registers.knows(number)) return false;
    stack.push(registers.values[number] + offset);
    return true;
  }
  if (const auto value = constant(operation, code)) {
    stack.push(*value);
    return true;
  }
  switch (operation) {
    case 0x06: {  // DW_OP_deref
      std::uintptr_t word = 0;
      if (!copy.read(stack.pop(), word)) return false;
      stack.push(word);
      return true;
    }
    case 0x12:  // DW_OP_dup
      stack.pick(0);
      return true;
    case 0x13:  // DW_OP_drop
      stack.pop();
      return true;
    case 0x14:  // DW_OP_over
      stack.pick(1);
      return true;
    case 0x15:  // DW_OP_pick
      stack.pick(code.byte());
      return true;
    case 0x16:  // DW_OP_swap
      stack.swap();
      return true;
    case 0x1f:  // DW_OP_neg
      stack.push(-stack.pop());
      return true;
    case 0x20:  // DW_OP_not
      stack.push(~stack.pop());
      return true;
    case 0x23:  // DW_OP_plus_uconst
      stack.push(stack.pop() + code.unsigned_leb());
      return true;
    case 0x96:  // DW_OP_nop
      return true;
    default: {
      const std::uint64_t top = stack.pop(), below = stack.pop();
      const auto value = combine(operation, below, top);
      if (!value) return false;
      stack.push(*value);
      return true;
    }
  }
}

}  // namespace

std::optional<std::uintptr_t> evaluate_expression(const ModuleTables& tables, std::size_t position,
                                                  const Registers& registers, const StackCopy& copy,
                                                  std::optional<std::uintptr_t> first) {
  constexpr std::uint64_t kLongest = 256;  // compilers write about 20 bytes
  TableReader reader(tables.memory, position);
  const std::uint64_t length = reader.unsigned_leb();
  if (length > kLongest) return {};
  TableReader code = reader.part(length);
  ExpressionStack stack;
  if (first) stack.push(*first);
  while (!code.at_end()) {
    if (!execute(code.byte(), code, registers, copy, stack)) return {};
  }
  const std::uintptr_t value = stack.pop();
  if (!code.ok() || !stack.ok()) return {};
  return value;
}

}  // namespace latecomer::callpath
