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
#include <utility>

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
  Mapping all = Mapping::of_memory(span + kAlignment, PROT_NONE, MAP_NORESERVE);
  if (!all) fail("no addresses for a file", errno);
  all.keep_aligned(span, kAlignment);
  if (!all.put_file(file_, PROT_READ | PROT_WRITE)) fail("a file cannot be mapped", errno);
  // Many positions are read at a time. With large read-ahead they would evict each other's pages.
  static_cast<void>(madvise(all.data(), span, MADV_RANDOM));
  all_ = std::move(all);
}

void SpillFile::grow(std::size_t bytes) {
  if (!all_) open();
  if (bytes > all_.size() - size_) fail("no room for a larger file", ENOSPC);
  // Starts writing early: when memory gets short, unwritten pages could not be reused.
  static_cast<void>(sync_file_range(file_, 0, static_cast<off_t>(size_), SYNC_FILE_RANGE_WRITE));
  const int error = posix_fallocate(file_, static_cast<off_t>(size_), static_cast<off_t>(bytes));
  if (error != 0) fail("no room for a larger file", error);
  free_.add(all_.data() + size_, bytes);
  size_ += bytes;
}

void* SpillFile::take(std::size_t bytes, std::size_t alignment) {
  if (void* const block = free_.take(bytes, alignment)) return block;
  // The end of the file may be free but too short, or not aligned.
  grow(bytes + (alignment - size_ % alignment) % alignment);
  return free_.take(bytes, alignment);
}

}  // namespace latecomer::memory
