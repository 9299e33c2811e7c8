// SPDX-License-Identifier: BSD-3-Clause
// The cold half of the writer: new chunks, the move from memory to the file, losses.
#include "tracer/record/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace latecomer::record {
namespace {

constexpr std::size_t kPage = 4096;

// Calls of ours must not change what the program sees in errno.
class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

constexpr bool is_helper(Kind kind) { return kind == Kind::kTime || kind == Kind::kWideId; }

// Records in a chunk of memory, as losses.
Losses count(const std::byte* chunk, std::size_t bytes) {
  Losses found;
  const auto* word = reinterpret_cast<const std::uint64_t*>(chunk);
  const auto* end = word + bytes / sizeof(std::uint64_t);
  while (word < end && *word != 0) {
    const Kind kind = static_cast<Kind>(*word & ((1U << kKindBits) - 1));
    const std::size_t words = 1 + payload_words(kind);
    if (!is_helper(kind)) {
      ++found.records;
      found.bytes += words * sizeof(std::uint64_t);
    }
    word += words;
  }
  return found;
}

// The owner may be writing: header words are read before their payload, so what is copied is whole.
void copy_words(const std::byte* from, std::byte* to, std::size_t bytes) {
  auto* source = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(from));
  auto* target = reinterpret_cast<std::uint64_t*>(to);
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
    target[i] = std::atomic_ref(source[i]).load(std::memory_order_acquire);
  }
}

}  // namespace

ThreadWriter::ThreadWriter(std::uint32_t thread, std::size_t chunk_bytes, Ticks start)
    : last_(start), chunk_bytes_(std::max(kPage, (chunk_bytes + kPage - 1) / kPage * kPage)) {
  const KeepErrno keep;
  own_header_.chunk_bytes = static_cast<std::uint32_t>(chunk_bytes_);
  own_header_.thread = thread;
  if (!grow()) stop(ENOMEM);
}

ThreadWriter::~ThreadWriter() {
  close();
  release_memory();
}

// Cold: no room, a time or an id that does not fit its field, or recording has stopped. False if
// the record is not to be written.
[[gnu::noinline, gnu::cold]] bool ThreadWriter::prepare(std::size_t words, std::uint64_t& id,
                                                        Ticks& ticks) {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (!stopped_ && next_ > limit_ && !grow()) stop(error_);
  if (stopped_) {
    ++header_->lost_records;
    header_->lost_bytes += words * sizeof(std::uint64_t);
    return false;
  }
  if (ticks < last_) {
    ++header_->clamped_times;
    ticks = last_;
  }
  if (ticks - last_ > kMaxDistance) {
    last_ = ticks;
    put_time();
  }
  if (id > kMaxId) {
    next_[1] = id;
    std::atomic_ref(*next_).store(static_cast<std::uint64_t>(Kind::kWideId),
                                  std::memory_order_release);
    next_ += 2;
    id = 0;
  }
  return true;
}

void ThreadWriter::put_time() {
  next_[1] = last_;
  std::atomic_ref(*next_).store(static_cast<std::uint64_t>(Kind::kTime), std::memory_order_release);
  next_ += 2;
}

bool ThreadWriter::grow() {
  std::byte* chunk = nullptr;
  if (in_memory()) {
    if ((memory_.size() + 1) * chunk_bytes_ > std::max(kMaxMemoryBytes, chunk_bytes_)) {
      error_ = ENOBUFS;
      return false;
    }
    chunk = map_anonymous(chunk_bytes_);
    if (chunk == nullptr) {
      error_ = ENOMEM;
      return false;
    }
    memory_.push_back(chunk);
  } else {
    chunk = file_.map(kHeaderBytes + file_chunks_ * chunk_bytes_, chunk_bytes_, error_);
    if (chunk == nullptr) return false;
    ++file_chunks_;
    MappedFile::unmap(chunk_, chunk_bytes_);
  }
  use_chunk(chunk);
  put_time();
  return true;
}

void ThreadWriter::use_chunk(std::byte* chunk) {
  chunk_ = chunk;
  next_ = reinterpret_cast<std::uint64_t*>(chunk);
  limit_ = next_ + chunk_bytes_ / sizeof(std::uint64_t) - kLargest;
}

void ThreadWriter::stop(int error) {
  stopped_ = true;
  error_ = error;
  if (!in_memory() && chunk_ != nullptr) MappedFile::unmap(chunk_, chunk_bytes_);
  chunk_ = nullptr;
  next_ = &nowhere_;
  limit_ = nullptr;
}

// Makes the file out of the chunks in memory. The last one stays mapped and is given to the caller
// if he asks for it; what does not fit is counted as lost.
int ThreadWriter::copy_chunks(std::byte** last) {
  int error = 0;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    std::byte* target =
        error == 0 ? file_.map(kHeaderBytes + i * chunk_bytes_, chunk_bytes_, error) : nullptr;
    if (target == nullptr) {
      const Losses lost = count(memory_[i], chunk_bytes_);
      header_->lost_records += lost.records;
      header_->lost_bytes += lost.bytes;
      continue;
    }
    copy_words(memory_[i], target, chunk_bytes_);
    file_chunks_ = i + 1;
    if (last != nullptr && i + 1 == memory_.size()) {
      *last = target;
    } else {
      MappedFile::unmap(target, chunk_bytes_);
    }
  }
  return error;
}

int ThreadWriter::move_to(const std::string& path, std::uint32_t rank) {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  own_header_.rank = rank;
  std::byte* chunk = nullptr;
  std::byte* header = nullptr;
  int error = file_.create(path);
  if (error == 0) header = file_.map(0, kHeaderBytes, error);
  if (header != nullptr) {
    header_ = new (header) FileHeader(own_header_);
    error = copy_chunks(&chunk);
  } else {
    for (std::byte* lost_chunk : memory_) {
      const Losses lost = count(lost_chunk, chunk_bytes_);
      header_->lost_records += lost.records;
      header_->lost_bytes += lost.bytes;
    }
  }
  if (error != 0 || stopped_) {
    if (chunk != nullptr) MappedFile::unmap(chunk, chunk_bytes_);
    chunk_ = nullptr;
    stop(error != 0 ? error : error_);
  } else {
    const auto used = next_ - reinterpret_cast<std::uint64_t*>(chunk_);
    use_chunk(chunk);
    next_ += used;
  }
  release_memory();
  return error;
}

int ThreadWriter::save_to(const std::string& path, std::uint32_t rank) {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  if (closed_ || !in_memory()) return 0;
  own_header_.rank = rank;
  int error = file_.create(path);
  std::byte* header = error == 0 ? file_.map(0, kHeaderBytes, error) : nullptr;
  if (header != nullptr) {
    error = copy_chunks(nullptr);
    new (header) FileHeader(*header_);
    MappedFile::unmap(header, kHeaderBytes);
  }
  if (error != 0) error_ = error;
  file_ = MappedFile();  // still in memory for the owner
  file_chunks_ = 0;
  return error;
}

void ThreadWriter::close() {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  if (closed_ || in_memory()) return;
  if (chunk_ != nullptr) {
    const auto used = static_cast<std::size_t>(reinterpret_cast<std::byte*>(next_) - chunk_);
    MappedFile::unmap(chunk_, chunk_bytes_);
    file_.trim(kHeaderBytes + (file_chunks_ - 1) * chunk_bytes_ + used);
  }
  if (header_ != &own_header_) {
    own_header_ = *header_;
    MappedFile::unmap(reinterpret_cast<std::byte*>(header_), kHeaderBytes);
    header_ = &own_header_;
  }
  closed_ = true;
  chunk_ = nullptr;
  next_ = &nowhere_;
  limit_ = nullptr;
}

Losses ThreadWriter::losses() const {
  const std::lock_guard lock(mutex_);
  return {header_->lost_records, header_->lost_bytes, header_->clamped_times, error_};
}

void ThreadWriter::release_memory() {
  for (std::byte* chunk : memory_) MappedFile::unmap(chunk, chunk_bytes_);
  memory_.clear();
}

}  // namespace latecomer::record
