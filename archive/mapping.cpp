// SPDX-License-Identifier: BSD-3-Clause
// Calls of mmap() and its relatives.
#include "archive/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace latecomer {
namespace {

Mapping from(void* memory, std::size_t bytes) {
  return memory == MAP_FAILED ? Mapping() : Mapping(memory, bytes);
}

}  // namespace

Mapping Mapping::of_memory(std::size_t bytes, int protection, int more_flags) {
  return from(mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0),
              bytes);
}

Mapping Mapping::of_file(int file, std::size_t offset, std::size_t bytes, int protection,
                         int flags) {
  const std::size_t before = offset % static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  Mapping mapping = from(
      mmap(nullptr, bytes + before, protection, flags, file, static_cast<off_t>(offset - before)),
      bytes + before);
  if (mapping) mapping.before_ = before;
  return mapping;
}

void Mapping::keep_aligned(std::size_t bytes, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(start_);
  const std::size_t front = (alignment - address % alignment) % alignment;
  if (front > 0) munmap(start_, front);
  if (bytes_ > front + bytes) munmap(start_ + front + bytes, bytes_ - front - bytes);
  start_ += front;
  bytes_ = bytes;
}

bool Mapping::put_file(int file, int protection) {
  return mmap(start_, bytes_, protection, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

// Kernels before 5.14 reject the call with EINVAL; then the pages come with their first use. EFAULT
// means that a page would have raised SIGBUS.
int Mapping::populate() {
  if (madvise(start_, bytes_, MADV_POPULATE_WRITE) == 0 || errno == EINVAL) return 0;
  return errno == EFAULT ? EIO : errno;
}

std::byte* Mapping::release() {
  std::byte* const start = data();
  start_ = nullptr;
  before_ = bytes_ = 0;
  return start;
}

void Mapping::reset() {
  if (start_ != nullptr) munmap(start_, bytes_);
  start_ = nullptr;
  before_ = bytes_ = 0;
}

}  // namespace latecomer
