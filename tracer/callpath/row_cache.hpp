// SPDX-License-Identifier: BSD-3-Clause
// Remembers how to step out of functions, so that samples with the same callers are cheap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/callpath/frame_rules.hpp"

namespace latecomer::callpath {

// Rules in the form that nearly all have at a call: the CFA is a register and an offset, the return
// address is in the word below the CFA, and each register that a called function preserves is in a
// word below the CFA, or not changed.
struct ShortRow {
  static constexpr std::array<std::uint8_t, 6> kPreserved = {3, 6, 12, 13, 14, 15};

  std::uintptr_t place = 0;  // 0: empty
  std::uintptr_t function = 0;
  std::int32_t cfa_offset = 0;
  std::uint8_t cfa_register = 0;
  std::array<std::uint8_t, kPreserved.size()> words_below{};  // 0: not changed
};

// Rows by the place of a call. Each place has one position, and a newer one replaces an older one.
//
// A row is valid as long as its module is loaded. A module that is loaded later may have other
// functions at the same addresses. So the owner calls forget_unloaded() before it unwinds samples,
// once for many of them, with the number of modules that were unloaded until then.
class RowCache {
 public:
  [[nodiscard]] const ShortRow* find(std::uintptr_t place) const {
    const ShortRow& row = rows_[position(place)];
    return row.place == place && place != 0 ? &row : nullptr;
  }

  // Does nothing if the row has another form.
  void insert(std::uintptr_t place, const FrameRow& row) {
    ShortRow made{place, row.function, row.rules.cfa.value, row.rules.cfa.number, {}};
    if (row.signal || row.rules.cfa.kind != AddressRule::Kind::kRegister) return;
    std::size_t preserved = 0;
    for (std::size_t i = 0; i < FrameRules::kRegisters; ++i) {
      const RegisterRule& rule = row.rules.registers[i];
      const bool saved = rule.kind == RegisterRule::Kind::kSaved;
      if (i == FrameRules::kRegisters - 1) {
        if (!saved || rule.value != -kWord) return;
      } else if (preserved < made.words_below.size() && i == ShortRow::kPreserved[preserved]) {
        if (saved) {
          if (rule.value >= 0 || rule.value < -255 * kWord || rule.value % kWord != 0) return;
          const std::int32_t words = -rule.value / kWord;
          made.words_below[preserved] = static_cast<std::uint8_t>(words);
        } else if (rule.kind != RegisterRule::Kind::kSame) {
          return;
        }
        ++preserved;
      } else if (rule.kind != RegisterRule::Kind::kSame) {
        return;
      }
    }
    rows_[position(place)] = made;
  }

  // See unloaded_modules().
  void forget_unloaded(std::uint64_t unloaded) {
    if (unloaded != unloaded_) rows_.fill({});
    unloaded_ = unloaded;
  }

 private:
  static constexpr std::int32_t kWord = sizeof(std::uintptr_t);
  static constexpr unsigned kBits = 8;
  static std::size_t position(std::uintptr_t place) {
    return (place * 0x9e3779b97f4a7c15) >> (64 - kBits);  // 2^64 divided by the golden ratio
  }

  std::array<ShortRow, 1U << kBits> rows_{};
  std::uint64_t unloaded_ = 0;
};

}  // namespace latecomer::callpath
