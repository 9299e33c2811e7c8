// SPDX-License-Identifier: BSD-3-Clause
// Steps from frame to frame with the rules of .eh_frame, on a copy of the stack.
#include "tracer/callpath/stack_copy.hpp"

#include <algorithm>
#include <optional>

#include "tracer/callpath/epilogue.hpp"
#include "tracer/callpath/frame_expression.hpp"
#include "tracer/callpath/frame_rules.hpp"

namespace latecomer::callpath {

namespace {

using Value = std::optional<std::uintptr_t>;

class CopyWalk {
 public:
  CopyWalk(const Registers& from, const StackCopy& copy, RowCache* cache, WatchedFunction* watched)
      : registers_(from), copy_(copy), cache_(cache), watched_(watched) {}

  CopiedPath run(std::span<StackFrame> found) {
    const std::size_t most = std::min(found.size(), Stack::kMostFrames);
    CopiedPath path;
    while (path.depth < most) {
      // The instruction after a call may belong to another function.
      const bool interrupted = path.depth == 0;
      const std::uintptr_t place = registers_.values[Registers::kIp] - (interrupted ? 0 : 1);
      StackFrame& frame = found[path.depth++];
      // Threads are interrupted anywhere, so the cache has places of calls only.
      const ShortRow* const row = cache_ != nullptr && !interrupted ? cache_->find(place) : nullptr;
      if (row != nullptr) {
        frame = {place, row->function};
        watch(frame, path.depth - 1);
        if (!short_step(*row)) return path;
      } else {
        const bool found_row = look_up(place, frame);
        watch(frame, path.depth - 1);
        if (!found_row || row_.signal) return path;
        path.whole = row_.rules.registers[Registers::kIp].kind == RegisterRule::Kind::kUndefined;
        if (path.whole || !step(interrupted)) return path;
        if (cache_ != nullptr && !interrupted) cache_->insert(place, row_);
      }
      watch_end(path.depth - 1);
      // Stacks that a program has made for itself end with a zero.
      path.whole = registers_.values[Registers::kIp] == 0;
      if (path.whole) return path;
    }
    return path;
  }

 private:
  void watch(const StackFrame& frame, std::size_t depth) {
    if (watched_ == nullptr || frame.function != watched_->function) return;
    if (frame.function == 0 || watched_->count == watched_->frames.size()) return;
    watched_->frames[watched_->count++] = {depth, registers_, 0};
  }
  // The stack pointer of the caller is the end of the frame.
  void watch_end(std::size_t depth) {
    if (watched_ == nullptr || watched_->count == 0) return;
    auto& last = watched_->frames[watched_->count - 1];
    if (last.depth == depth) last.end = registers_.values[Registers::kSp];
  }

  // Fills the row, if there are rules for the place. The frame has the function in either case.
  bool look_up(std::uintptr_t place, StackFrame& frame) {
    frame = {place, 0};
    if (!tables_.contains(place)) tables_ = find_module_tables(place);
    if (tables_.memory.empty()) return false;
    const bool found = find_frame_row(tables_, place, row_);
    frame.function = row_.function;
    return found;
  }

  // As step(), with a row from the cache.
  bool short_step(const ShortRow& row) {
    const std::uintptr_t cfa =
        registers_.values[row.cfa_register] + static_cast<std::uintptr_t>(row.cfa_offset);
    if (!registers_.knows(row.cfa_register) || cfa <= registers_.values[Registers::kSp])
      return false;
    for (std::size_t i = 0; i < row.words_below.size(); ++i) {
      if (row.words_below[i] != 0) load(ShortRow::kPreserved[i], cfa - kWord * row.words_below[i]);
    }
    load(Registers::kIp, cfa - kWord);
    registers_.set(Registers::kSp, cfa);
    return registers_.knows(Registers::kIp);
  }
  void load(std::size_t number, std::uintptr_t address) {
    std::uintptr_t word = 0;
    if (copy_.read(address, word)) {
      registers_.set(number, word);
    } else {
      registers_.forget(number);
    }
  }

  // Makes the registers those of the caller. Returns false if its place is not known, or if its
  // frame is not above this one. (A function that has left its frame to jump to the return address
  // has none.)
  bool step(bool interrupted) {
    const std::uintptr_t sp = registers_.values[Registers::kSp];
    const Value cfa = frame_address();
    if (!cfa || *cfa < sp || (*cfa == sp && !interrupted)) return false;
    Registers caller = registers_;
    caller.set(Registers::kSp, *cfa);
    caller.forget(Registers::kIp);
    for (std::size_t i = 0; i < Registers::kCount; ++i) {
      const RegisterRule& rule = row_.rules.registers[i];
      if (rule.kind == RegisterRule::Kind::kSame) continue;
      if (const Value value = apply(rule, *cfa)) {
        caller.set(i, *value);
      } else if (interrupted && rule.kind == RegisterRule::Kind::kSaved &&
                 is_restored(i, rule, *cfa)) {
        continue;
      } else {
        caller.forget(i);
      }
    }
    if (!caller.knows(Registers::kIp) || !caller.knows(Registers::kSp) ||
        caller.values[Registers::kSp] < *cfa) {
      return false;
    }
    registers_ = caller;
    return true;
  }

  // Compilers do not describe that an epilogue has restored a register. The tables still say that
  // it is in memory, which is then below the stack pointer, where no copy by the kernel reaches.
  // Some functions save registers there. So the register has its value back only if nothing but a
  // return follows.
  [[nodiscard]] bool is_restored(std::size_t number, const RegisterRule& rule,
                                 std::uintptr_t cfa) const {
    if (cfa + static_cast<std::uintptr_t>(rule.value) >= registers_.values[Registers::kSp])
      return false;
    return number != Registers::kIp && registers_.knows(number) &&
           only_returns(tables_.code_at(registers_.values[Registers::kIp]));
  }

  [[nodiscard]] Value frame_address() const {
    const AddressRule& rule = row_.rules.cfa;
    if (rule.kind == AddressRule::Kind::kExpression) return evaluate(rule.value, {});
    if (!registers_.knows(rule.number)) return {};
    return registers_.values[rule.number] + static_cast<std::uintptr_t>(rule.value);
  }

  [[nodiscard]] Value apply(const RegisterRule& rule, std::uintptr_t cfa) const {
    const auto number = static_cast<std::uintptr_t>(rule.value);
    switch (rule.kind) {
      case RegisterRule::Kind::kSame:
      case RegisterRule::Kind::kUndefined:
        return {};
      case RegisterRule::Kind::kSaved:
        return word_at(cfa + number);
      case RegisterRule::Kind::kOffset:
        return cfa + number;
      case RegisterRule::Kind::kRegister:
        return registers_.knows(number) ? Value(registers_.values[number]) : Value();
      case RegisterRule::Kind::kSavedAt:
        return word_at(evaluate(rule.value, cfa));
      case RegisterRule::Kind::kExpression:
        return evaluate(rule.value, cfa);
    }
    return {};
  }

  [[nodiscard]] Value word_at(Value address) const {
    std::uintptr_t word = 0;
    return address && copy_.read(*address, word) ? Value(word) : Value();
  }

  [[nodiscard]] Value evaluate(std::int64_t position, Value first) const {
    return evaluate_expression(tables_, static_cast<std::size_t>(position), registers_, copy_,
                               first);
  }

  static constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);

  Registers registers_;
  const StackCopy& copy_;
  RowCache* cache_;
  WatchedFunction* watched_;
  ModuleTables tables_;
  FrameRow row_;
};

}  // namespace

CopiedPath unwind_copy(const Registers& from, const StackCopy& copy, std::span<StackFrame> found,
                       RowCache* cache, WatchedFunction* watched) {
  if (watched != nullptr) watched->count = 0;
  if (!from.knows(Registers::kIp) || found.empty()) return {};
  if (!kSupported || !from.knows(Registers::kSp)) {
    found[0] = {from.values[Registers::kIp], 0};
    return {1, false};
  }
  return CopyWalk(from, copy, cache, watched).run(found);
}

}  // namespace latecomer::callpath
