// SPDX-License-Identifier: BSD-3-Clause
// Interprets the common and the frame description entries (CIE, FDE) of .eh_frame.
#include "tracer/callpath/frame_rules.hpp"

#include <algorithm>
#include <optional>

#include "tracer/callpath/table_reader.hpp"

namespace latecomer::callpath {

namespace {

using Kind = RegisterRule::Kind;

// .eh_frame_hdr is a sorted list of functions, with pairs of 32-bit offsets from its own address:
// begin of the function and its FDE. Linkers write no other form.
std::optional<std::size_t> find_entry(const ModuleTables& tables, std::uintptr_t place) {
  constexpr std::uint8_t kVersion = 1, kPairs = 0x3b;
  TableReader reader(tables.memory, tables.index);
  const std::uintptr_t index = reader.address();
  if (reader.byte() != kVersion) return {};
  const std::uint8_t frame_encoding = reader.byte();
  const std::uint8_t count_encoding = reader.byte();
  if (reader.byte() != kPairs) return {};
  reader.skip_pointer(frame_encoding);
  const std::uint64_t count = reader.pointer(count_encoding, index);
  constexpr std::size_t kPairSize = 2 * sizeof(std::int32_t);
  const auto pairs = tables.memory.subspan(reader.position());
  if (!reader.ok() || count > pairs.size() / kPairSize) return {};
  const auto number = [&](std::size_t at) {
    std::int32_t value = 0;
    std::memcpy(&value, pairs.data() + at, sizeof value);
    return std::int64_t{value};
  };
  const auto wanted = static_cast<std::int64_t>(place - index);
  std::size_t low = 0, high = count;  // the last function that begins at or before the place
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (number(middle * kPairSize) <= wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return {};
  return tables.index + static_cast<std::size_t>(number(low * kPairSize - sizeof(std::int32_t)));
}

// What an entry's CIE says about it.
struct Common {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t encoding = 0;  // of addresses of code
  bool has_augmentation = false;
  bool signal = false;
  std::optional<TableReader> instructions;
};

// The next entry's contents, or empty if it is in the 64-bit format, which .eh_frame does not have.
std::optional<TableReader> contents(TableReader& reader) {
  constexpr std::uint32_t kLong = 0xffffffff;
  const auto length = reader.fixed<std::uint32_t>();
  if (length == 0 || length == kLong) return {};
  const TableReader inside = reader.part(length);
  if (!inside.ok()) return {};
  return inside;
}

std::optional<Common> read_common(const ModuleTables& tables, std::size_t position) {
  constexpr std::size_t kLongestAugmentation = 8;
  TableReader reader(tables.memory, position);
  auto inside = contents(reader);
  if (!inside || inside->fixed<std::uint32_t>() != 0) return {};
  const std::uint8_t version = inside->byte();
  if (version != 1 && version != 3) return {};
  std::array<char, kLongestAugmentation> augmentation;
  std::size_t length = 0;
  for (char letter; (letter = inside->fixed<char>()) != 0; augmentation[length++] = letter) {
    if (length == augmentation.size()) return {};
  }
  Common common;
  common.code_unit = inside->unsigned_leb();
  common.data_unit = inside->signed_leb();
  const std::uint64_t return_address = version == 1 ? inside->byte() : inside->unsigned_leb();
  if (return_address != FrameRules::kRegisters - 1) return {};
  for (std::size_t i = 0; i < length; ++i) {
    switch (augmentation[i]) {
      case 'z':
        if (i != 0) return {};
        common.has_augmentation = true;
        static_cast<void>(inside->unsigned_leb());
        break;
      case 'L':
        static_cast<void>(inside->byte());
        break;
      case 'P':
        inside->skip_pointer(inside->byte());
        break;
      case 'R':
        common.encoding = inside->byte();
        break;
      case 'S':
        common.signal = true;
        break;
      default:
        return {};
    }
  }
  if (!inside->ok()) return {};
  common.instructions = *inside;
  return common;
}

// Executes call frame instructions up to a place.
class Interpreter {
 public:
  Interpreter(const Common& common, std::uintptr_t index, FrameRules& rules)
      : common_(common), index_(index), rules_(rules) {
    rules_.cfa = {AddressRule::Kind::kNone, 0, 0};
    rules_.registers.fill({Kind::kSame, 0});
  }

  // Rules that hold everywhere in the function, to which DW_CFA_restore returns.
  bool run_common(TableReader code) {
    if (!run(code, 0, ~std::uintptr_t{0})) return false;
    initial_ = rules_;
    return true;
  }

  bool run(TableReader code, std::uintptr_t location, std::uintptr_t place) {
    location_ = location;
    for (std::size_t i = 0; i < kMostInstructions; ++i) {
      if (code.at_end()) return code.ok();
      if (!execute(code)) return false;
      if (location_ > place) return code.ok();
    }
    return false;
  }

 private:
  bool execute(TableReader& code) {
    const std::uint8_t instruction = code.byte();
    const std::uint8_t low = instruction & 0x3f;
    switch (instruction >> 6) {
      case 1:  // DW_CFA_advance_loc
        return advance(low);
      case 2:  // DW_CFA_offset
        return set(low, Kind::kSaved, factored(code.unsigned_leb()));
      case 3:  // DW_CFA_restore
        return restore(low);
      default:
        return execute_extended(low, code);
    }
  }

  bool execute_extended(std::uint8_t instruction, TableReader& code) {
    switch (instruction) {
      case 0x00:  // DW_CFA_nop
        return true;
      case 0x01:  // DW_CFA_set_loc
        location_ = code.pointer(common_.encoding, index_);
        return true;
      case 0x02:  // DW_CFA_advance_loc1
        return advance(code.byte());
      case 0x03:  // DW_CFA_advance_loc2
        return advance(code.fixed<std::uint16_t>());
      case 0x04:  // DW_CFA_advance_loc4
        return advance(code.fixed<std::uint32_t>());
      case 0x05: {  // DW_CFA_offset_extended
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kSaved, factored(code.unsigned_leb()));
      }
      case 0x06:  // DW_CFA_restore_extended
        return restore(code.unsigned_leb());
      case 0x07:  // DW_CFA_undefined
        return set(code.unsigned_leb(), Kind::kUndefined, 0);
      case 0x08:  // DW_CFA_same_value
        return set(code.unsigned_leb(), Kind::kSame, 0);
      case 0x09: {  // DW_CFA_register
        const std::uint64_t number = code.unsigned_leb();
        const std::uint64_t source = code.unsigned_leb();
        const bool known = source < FrameRules::kRegisters;
        return set(number, known ? Kind::kRegister : Kind::kUndefined,
                   static_cast<std::int64_t>(source));
      }
      case 0x0a:  // DW_CFA_remember_state
        if (remembered_ == kMostRemembered) return false;
        memory_[remembered_++] = rules_;
        return true;
      case 0x0b:  // DW_CFA_restore_state
        if (remembered_ == 0) return false;
        rules_ = memory_[--remembered_];
        return true;
      case 0x0c: {  // DW_CFA_def_cfa
        const std::uint64_t number = code.unsigned_leb();
        return set_cfa(number, static_cast<std::int64_t>(code.unsigned_leb()));
      }
      case 0x0d:  // DW_CFA_def_cfa_register
        return rules_.cfa.kind == AddressRule::Kind::kRegister &&
               set_cfa(code.unsigned_leb(), rules_.cfa.value);
      case 0x0e:  // DW_CFA_def_cfa_offset
        return set_cfa_offset(static_cast<std::int64_t>(code.unsigned_leb()));
      case 0x0f:  // DW_CFA_def_cfa_expression
        return set_cfa_expression(expression(code));
      case 0x10: {  // DW_CFA_expression
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kSavedAt, expression(code));
      }
      case 0x11: {  // DW_CFA_offset_extended_sf
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kSaved, factored(code.signed_leb()));
      }
      case 0x12: {  // DW_CFA_def_cfa_sf
        const std::uint64_t number = code.unsigned_leb();
        return set_cfa(number, factored(code.signed_leb()));
      }
      case 0x13:  // DW_CFA_def_cfa_offset_sf
        return set_cfa_offset(factored(code.signed_leb()));
      case 0x14: {  // DW_CFA_val_offset
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kOffset, factored(code.unsigned_leb()));
      }
      case 0x15: {  // DW_CFA_val_offset_sf
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kOffset, factored(code.signed_leb()));
      }
      case 0x16: {  // DW_CFA_val_expression
        const std::uint64_t number = code.unsigned_leb();
        return set(number, Kind::kExpression, expression(code));
      }
      case 0x2e:  // DW_CFA_GNU_args_size, which matters to landing pads only
        static_cast<void>(code.unsigned_leb());
        return true;
      default:
        return false;
    }
  }

  bool advance(std::uint64_t delta) {
    location_ += delta * common_.code_unit;
    return true;
  }

  static bool fits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

  // Other registers, such as those of vectors, do not matter to unwinding.
  bool set(std::uint64_t number, Kind kind, std::int64_t value) {
    if (number >= rules_.registers.size()) return true;
    rules_.registers[number] = {kind, static_cast<std::int32_t>(value)};
    return fits(value);
  }
  bool restore(std::uint64_t number) {
    if (number < rules_.registers.size()) rules_.registers[number] = initial_.registers[number];
    return true;
  }
  bool set_cfa(std::uint64_t number, std::int64_t offset) {
    if (number >= rules_.registers.size()) return false;
    rules_.cfa = {AddressRule::Kind::kRegister, static_cast<std::uint8_t>(number),
                  static_cast<std::int32_t>(offset)};
    return fits(offset);
  }
  bool set_cfa_expression(std::int64_t position) {
    rules_.cfa = {AddressRule::Kind::kExpression, 0, static_cast<std::int32_t>(position)};
    return fits(position);
  }
  bool set_cfa_offset(std::int64_t offset) {
    return rules_.cfa.kind == AddressRule::Kind::kRegister && set_cfa(rules_.cfa.number, offset);
  }

  // Multiplied as unsigned numbers: damaged tables overflow.
  [[nodiscard]] std::int64_t factored(std::uint64_t value) const {
    return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(common_.data_unit));
  }
  [[nodiscard]] std::int64_t factored(std::int64_t value) const {
    return factored(static_cast<std::uint64_t>(value));
  }

  static std::int64_t expression(TableReader& code) {
    const std::size_t position = code.position();
    code.skip(code.unsigned_leb());
    return static_cast<std::int64_t>(position);
  }

  static constexpr std::size_t kMostInstructions = 1U << 16;
  static constexpr std::size_t kMostRemembered = 8;  // compilers nest one

  const Common& common_;
  std::uintptr_t index_;
  FrameRules& rules_;
  std::uintptr_t location_ = 0;
  std::size_t remembered_ = 0;
  FrameRules initial_{};
  std::array<FrameRules, kMostRemembered> memory_;
};

}  // namespace

bool find_frame_row(const ModuleTables& tables, std::uintptr_t place, FrameRow& row) {
  row.function = 0;
  const auto position = find_entry(tables, place);
  if (!position) return false;
  TableReader reader(tables.memory, *position);
  auto entry = contents(reader);
  if (!entry) return false;
  const std::size_t here = entry->position();
  const auto distance = entry->fixed<std::uint32_t>();  // to the CIE, which comes first
  if (distance == 0 || distance > here) return false;
  const auto common = read_common(tables, here - distance);
  if (!common) return false;
  const std::uintptr_t index =
      reinterpret_cast<std::uintptr_t>(tables.memory.data()) + tables.index;
  const std::uintptr_t begin = entry->pointer(common->encoding, index);
  const std::uintptr_t size = entry->pointer(common->encoding & 0x0f, index);
  if (common->has_augmentation) entry->skip(entry->unsigned_leb());
  if (!entry->ok() || place - begin >= size) return false;
  row.function = begin;
  row.signal = common->signal;
  Interpreter interpreter(*common, index, row.rules);
  return interpreter.run_common(*common->instructions) && interpreter.run(*entry, begin, place) &&
         row.rules.cfa.kind != AddressRule::Kind::kNone;
}

}  // namespace latecomer::callpath
