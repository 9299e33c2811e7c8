// SPDX-License-Identifier: BSD-3-Clause
// Hands on the operations of a process in the order in which they began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace latecomer::watch {

// Messages and collective operations match in the order in which they begin, but what they are is
// known when they end.
//
//   begins 1   begins 2   ends 2            ends 1
//                         (held back)       hands on 1, then 2
//
// An operation that does not end holds back those after it, until `most` operations are held back.
// Then it is given up: if it ends after all, end() is false.
template <typename T>
class InStartOrder {
 public:
  explicit InStartOrder(std::size_t most) : most_(most) {}

  void begin(std::uint64_t request) {
    const auto [at, is_new] = open_.try_emplace(request, first_ + slots_.size());
    if (!is_new) {  // a request with this number was never completed
      slots_[at->second - first_].state = State::kGone;
      at->second = first_ + slots_.size();
    }
    slots_.push_back({State::kOpen, request, {}});
  }
  // An operation that begins and ends.
  void at_once(T value) { slots_.push_back({State::kEnded, 0, std::move(value)}); }
  // False: no operation with this request is open.
  [[nodiscard]] bool end(std::uint64_t request, T value) {
    const auto at = open_.find(request);
    if (at == open_.end()) return false;
    Slot& slot = slots_[at->second - first_];
    slot.state = State::kEnded;
    slot.value = std::move(value);
    open_.erase(at);
    return true;
  }
  // The open operation with this request; null: there is none.
  [[nodiscard]] T* find(std::uint64_t request) {
    const auto at = open_.find(request);
    return at == open_.end() ? nullptr : &slots_[at->second - first_].value;
  }
  [[nodiscard]] bool cancel(std::uint64_t request) {
    const auto at = open_.find(request);
    if (at == open_.end()) return false;
    slots_[at->second - first_].state = State::kGone;
    open_.erase(at);
    return true;
  }
  // Calls f(value) for the operations that can be handed on. Returns how many were given up.
  template <typename F>
  std::size_t hand_on(F&& f) {
    std::size_t given_up = 0;
    while (!slots_.empty()) {
      Slot& slot = slots_.front();
      if (slot.state == State::kOpen) {
        if (slots_.size() <= most_) break;
        open_.erase(slot.request);
        ++given_up;
      }
      const bool ended = slot.state == State::kEnded;
      T value = std::move(slot.value);
      slots_.pop_front();
      ++first_;
      if (ended) f(std::move(value));
    }
    return given_up;
  }
  // Gives up all that are open.
  void close() {
    for (const auto& [request, place] : open_) slots_[place - first_].state = State::kGone;
    open_.clear();
  }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

 private:
  enum class State : std::uint8_t { kOpen, kEnded, kGone };
  struct Slot {
    State state = State::kOpen;
    std::uint64_t request = 0;
    T value{};
  };

  std::size_t most_;
  std::deque<Slot> slots_;
  std::uint64_t first_ = 0;                                // number of the first slot
  std::unordered_map<std::uint64_t, std::uint64_t> open_;  // numbers of slots by request
};

}  // namespace latecomer::watch
