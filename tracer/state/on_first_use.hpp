// SPDX-License-Identifier: BSD-3-Clause
// An object that is made at its first use and never destroyed.
#pragma once

#include <atomic>
#include <mutex>

namespace latecomer {

// Part of the process's state that cannot be initialized when the library is loaded: it reads
// settings, or it is a container that needs code to run first. Its type may be incomplete where
// this member is declared.
// MT: any thread.
template <typename T>
class OnFirstUse {
 public:
  constexpr OnFirstUse() = default;
  OnFirstUse(const OnFirstUse&) = delete;
  OnFirstUse& operator=(const OnFirstUse&) = delete;

  // The object. The first call makes it from the result of `make`; other threads wait for that.
  template <typename Make>
  T& get(Make&& make) {
    if (T* known = object_.load(std::memory_order_acquire); known != nullptr) return *known;
    const std::lock_guard one(mutex_);
    T* object = object_.load(std::memory_order_relaxed);
    if (object == nullptr) {
      object = new T(make());
      object_.store(object, std::memory_order_release);
    }
    return *object;
  }
  T& get() {
    return get([] { return T(); });
  }

 private:
  std::atomic<T*> object_{nullptr};
  std::mutex mutex_;
};

}  // namespace latecomer
