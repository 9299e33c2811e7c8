// SPDX-License-Identifier: BSD-3-Clause
// Unwinds with _Unwind_Backtrace, which takes no lock and allocates nothing (glibc 2.35, GCC 12).
#include "tracer/callpath/stack.hpp"

#include <pthread.h>
#include <unwind.h>

namespace latecomer::callpath {

StackBounds StackBounds::of_this_thread() {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<std::uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attributes);
  return bounds;
}

namespace {

constexpr int kFramePointer = 6;  // rbp, in the numbering of DWARF
constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);

std::uintptr_t word_at(std::uintptr_t address) {
  return *reinterpret_cast<const volatile std::uintptr_t*>(address);
}

// A walk from the MPI call outwards. The return address into a frame is in its slot, the last word
// of the frame that it called. Its own frame is above the slot.
class Walk {
 public:
  Walk(const CallPlace& from, const StackBounds& own, Stack& found)
      : from_(from), own_(own), found_(found) {}

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* self) {
    return static_cast<Walk*>(self)->take(context) ? _URC_NO_REASON : _URC_END_OF_STACK;
  }

 private:
  bool take(_Unwind_Context* context) {
    int exact = 0;  // set if the frame was interrupted instead of calling
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    const std::uintptr_t slot = _Unwind_GetCFA(context) - kWord;
    if (!begun_) {
      if (slot < from_.slot) return true;  // still inside the measurement library
      if (slot != from_.slot || address != from_.caller) return false;
      begun_ = true;
      found_.depth = 0;  // the caller comes again, now with its function
    } else {
      if (exact != 0) {
        found_.in_handler = true;
        return false;
      }
      if (slot <= last_slot_ || slot > own_.high - kWord || slot % kWord != 0 ||
          word_at(slot) != address) {
        found_.on_register |= saver_high_ == 0;  // the register may have led there
        return false;
      }
      if (found_.depth == Stack::kMostFrames || found_.word_count + 3 > found_.words.size()) {
        return false;
      }
      keep_frame_pointer(slot);
      keep(slot);
    }
    const std::uintptr_t pointer = _Unwind_GetGR(context, kFramePointer);
    if (found_.depth != 0 && pointer != frame_pointer_) {
      saver_low_ = last_slot_;
      saver_high_ = slot;
    }
    frame_pointer_ = pointer;
    last_slot_ = slot;
    found_.slots[found_.depth] = slot;
    found_.frames[found_.depth++] = {address - 1, _Unwind_GetRegionStart(context)};
    return true;
  }

  // A frame that ends below `slot` may depend on its frame pointer. Then it depends on the word in
  // which the next function that uses the register saved it. If none has saved it, the frame
  // depends on the register itself, as it was at the MPI call.
  void keep_frame_pointer(std::uintptr_t slot) {
    if (frame_pointer_ + kWord != slot && !keep_frame_end(slot)) return;
    if (saver_high_ == 0) {
      found_.on_register = true;
      return;
    }
    for (auto at = saver_high_ - kWord; at > saver_low_ && saver_high_ - at <= kFurthest;
         at -= kWord) {
      if (word_at(at) != frame_pointer_) continue;
      keep(at);
      return;
    }
  }

  // A frame with a larger alignment begins at a place that only a word among the saved registers
  // below its frame pointer shows.
  bool keep_frame_end(std::uintptr_t slot) {
    if (frame_pointer_ <= last_slot_ || frame_pointer_ >= slot) return false;
    if (frame_pointer_ % kWord != 0) return false;
    for (auto at = frame_pointer_ - kWord; at > last_slot_ && frame_pointer_ - at <= kSaved;
         at -= kWord) {
      if (word_at(at) != slot + kWord) continue;
      keep(at);
      return true;
    }
    return false;
  }

  void keep(std::uintptr_t at) { found_.words[found_.word_count++] = {at, word_at(at)}; }

  static constexpr std::uintptr_t kFurthest = 64 * kWord;
  static constexpr std::uintptr_t kSaved = 6 * kWord;

  const CallPlace& from_;
  const StackBounds& own_;
  Stack& found_;
  bool begun_ = false;
  std::uintptr_t last_slot_ = 0;
  std::uintptr_t frame_pointer_ = 0;               // frame pointer in the last frame
  std::uintptr_t saver_low_ = 0, saver_high_ = 0;  // bounds of the frame that saved it
};

}  // namespace

[[gnu::noinline]] void unwind(const CallPlace& from, const StackBounds& own, Stack& found) {
  found.frames[0] = {from.caller - 1, 0};
  found.slots[0] = from.slot;
  found.depth = 1;
  found.word_count = 0;
  found.on_register = false;
  found.keep = false;
  found.in_handler = false;
  if (!own.contains(from.slot)) return;
  Walk walk(from, own, found);
  _Unwind_Backtrace(&Walk::visit, &walk);
  found.keep = true;
}

}  // namespace latecomer::callpath
