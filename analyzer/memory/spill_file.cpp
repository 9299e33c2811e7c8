// SPDX-License-Identifier: BSD-3-Clause
// The whole file is mapped once, longer than it is, so the address of a block gives its position.
#include "analyzer/memory/spill_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace latecomer::memory {
namespace {

constexpr std::size_t kAlignment = std::size_t{4} << 20;

// Opens a file without a name. If the file system has no such files, its name is removed at once.
int open_unnamed(const std::filesystem::path& directory) {
  const int file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  std::string name = (directory / "latecomer-memory-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

SpillFile::~SpillFile() {
  if (start_ != 0) munmap(reinterpret_cast<void*>(start_), span_);  // NOLINT
  if (file_ >= 0) close(file_);
}

void SpillFile::fail(const char* what, int error) {
  problem_ = std::string(what) + " in " + directory_.string() + ": " + std::strerror(error);
  throw std::bad_alloc();
}

// Maps as many addresses as the disk has room, since more can never be needed.
void SpillFile::open() {
  if (file_ < 0) file_ = open_unnamed(directory_);
  if (file_ < 0) fail("no file for memory", errno);
  struct statvfs disk {};
  if (fstatvfs(file_, &disk) != 0) fail("no file for memory", errno);
  const auto room = static_cast<std::size_t>(disk.f_bavail) * disk.f_frsize;
  const std::size_t span = room / kAlignment * kAlignment;
  if (span == 0) fail("no room for a file", ENOSPC);
  void* const all = mmap(nullptr, span + kAlignment, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) fail("no addresses for a file", errno);
  const auto address = reinterpret_cast<std::uintptr_t>(all);
  const std::size_t before = (kAlignment - address % kAlignment) % kAlignment;
  if (before > 0) munmap(all, before);
  if (before < kAlignment) {
    munmap(reinterpret_cast<void*>(address + before + span), kAlignment - before);  // NOLINT
  }
  void* const mapped = mmap(reinterpret_cast<void*>(address + before), span,  // NOLINT
                            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, 0);
  if (mapped == MAP_FAILED) fail("a file cannot be mapped", errno);
  // Many positions are read at a time. With large read-ahead they would evict each other's pages.
  static_cast<void>(madvise(mapped, span, MADV_RANDOM));
  start_ = address + before;
  span_ = span;
}

void SpillFile::grow(std::size_t bytes) {
  if (start_ == 0) open();
  if (bytes > span_ - size_) fail("no room for a larger file", ENOSPC);
  // Starts writing early: when memory gets short, unwritten pages could not be reused.
  static_cast<void>(sync_file_range(file_, 0, static_cast<off_t>(size_), SYNC_FILE_RANGE_WRITE));
  const int error = posix_fallocate(file_, static_cast<off_t>(size_), static_cast<off_t>(bytes));
  if (error != 0) fail("no room for a larger file", error);
  free_.add(reinterpret_cast<void*>(start_ + size_), bytes);  // NOLINT
  size_ += bytes;
}

void* SpillFile::take(std::size_t bytes, std::size_t alignment) {
  if (void* const block = free_.take(bytes, alignment)) return block;
  // The end of the file may be free but too short, or not aligned.
  grow(bytes + (alignment - size_ % alignment) % alignment);
  return free_.take(bytes, alignment);
}

}  // namespace latecomer::memory
