// SPDX-License-Identifier: BSD-3-Clause
// Lets the kernel read a set of signals from the memory, and refuse what should be done with it.
#include "tracer/callpath/python/readable.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace latecomer::python {
namespace {

// rt_sigprocmask() copies the set before it looks at the operation: EFAULT, or EINVAL.
bool readable_word(std::uintptr_t address) {
  constexpr int kNoOperation = -1;
  constexpr std::size_t kSetBytes = 8;
  return syscall(SYS_rt_sigprocmask, kNoOperation, address, nullptr, kSetBytes) == -1 &&
         errno == EINVAL;
}

}  // namespace

bool readable(std::uintptr_t address, std::size_t size) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kWord = 8;
  constexpr std::uintptr_t kEnd = std::uintptr_t{1} << 47;  // of the addresses of programs
  if (address < kPage || address >= kEnd || size > kEnd - address) return false;
  if (size == 0) return true;
  const std::uintptr_t last = address + size - 1;
  for (auto at = address & ~(kWord - 1); at <= last; at = (at | (kPage - 1)) + 1) {
    if (!readable_word(at)) return false;
  }
  return true;
}

}  // namespace latecomer::python
