// SPDX-License-Identifier: BSD-3-Clause
// Calls OTF2 in the required order: open, callbacks, event files, definition files, close.
#include "archive/otf2/archive_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "archive/first_umask.hpp"
#include "archive/layout.hpp"
#include "archive/version.hpp"

namespace latecomer::otf2 {

// The largest definition is a group; each member is a compressed integer of at most nine bytes.
std::uint64_t definition_chunk(std::uint32_t size) {
  const std::uint64_t needed = std::uint64_t{size} * 9 + 4096;
  return std::clamp<std::uint64_t>(std::bit_ceil(needed), OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX);
}

class ArchiveWriter::Pool {
 public:
  void* allocate(std::uint64_t bytes) {
    if (used_ == (opened_ ? kMaxChunks : 1)) return nullptr;  // makes OTF2 write what it has
    if (bytes != chunk_bytes_) {
      if (used_ != 0) return nullptr;
      chunks_.clear();
      chunk_bytes_ = bytes;
    }
    if (used_ == chunks_.size()) chunks_.push_back(std::make_unique<std::byte[]>(bytes));
    return chunks_[used_++].get();
  }
  void free_all() {
    written_ += used_ * chunk_bytes_;
    used_ = 0;
    opened_ = true;
  }
  // Starts a new file. OTF2 opens a file at its first write, which is forced after the first chunk.
  // From then on there is a file for which room can be reserved.
  void next_file() {
    opened_ = false;
    written_ = 0;
  }
  // The largest size of the file after the next flush.
  [[nodiscard]] std::uint64_t file_bytes() const { return written_ + used_ * chunk_bytes_; }

  static void* allocate(void* self, OTF2_FileType, OTF2_LocationRef, void**, std::uint64_t bytes) {
    return static_cast<Pool*>(self)->allocate(bytes);
  }
  static void free_all(void* self, OTF2_FileType, OTF2_LocationRef, void**, bool) {
    static_cast<Pool*>(self)->free_all();
  }

 private:
  static constexpr std::size_t kMaxChunks = 16;

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::uint64_t chunk_bytes_ = 0;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;  // bytes of the current file
  bool opened_ = false;
};

namespace {

using Context = OTF2_CollectiveContext;

OTF2_CallbackCode get_size(void* writer, Context*, std::uint32_t* size) {
  *size = static_cast<const Writer*>(writer)->size;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode get_rank(void* writer, Context*, std::uint32_t* rank) {
  *rank = static_cast<const Writer*>(writer)->rank;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode barrier(void*, Context*) { return OTF2_CALLBACK_SUCCESS; }

// The only broadcast is the error code of creating the directories. The other processes get
// success.
OTF2_CallbackCode broadcast(void* writer, Context*, void* data, std::uint32_t count, OTF2_Type type,
                            std::uint32_t root) {
  if (static_cast<const Writer*>(writer)->rank == root) return OTF2_CALLBACK_SUCCESS;
  if (count != 1 || (type != OTF2_TYPE_INT32 && type != OTF2_TYPE_INT64)) {
    return OTF2_CALLBACK_ERROR;
  }
  static_assert(OTF2_SUCCESS == 0);
  std::memset(data, 0, type == OTF2_TYPE_INT32 ? 4 : 8);
  return OTF2_CALLBACK_SUCCESS;
}

// These are only used for archives with many locations in one file.
OTF2_CallbackCode no_gather(void*, Context*, const void*, void*, std::uint32_t, OTF2_Type,
                            std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}
OTF2_CallbackCode no_gatherv(void*, Context*, const void*, std::uint32_t, void*,
                             const std::uint32_t*, OTF2_Type, std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}
OTF2_CallbackCode no_scatter(void*, Context*, const void*, void*, std::uint32_t, OTF2_Type,
                             std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}
OTF2_CallbackCode no_scatterv(void*, Context*, const void*, const std::uint32_t*, void*,
                              std::uint32_t, OTF2_Type, std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}

}  // namespace

ArchiveWriter::ArchiveWriter(const std::string& directory, std::uint64_t definition_chunk,
                             std::uint64_t event_chunk)
    : directory_(directory),
      pool_(std::make_unique<Pool>()),
      archive_(OTF2_Archive_Open(directory.c_str(), layout::kArchiveName, OTF2_FILEMODE_WRITE,
                                 event_chunk, definition_chunk, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE)) {
  if (archive_ == nullptr) return;
  // There is no post-flush callback, so flushes are not recorded: they do not belong to the
  // program.
  static const OTF2_FlushCallbacks flush{before_flush, nullptr};
  static const OTF2_MemoryCallbacks memory{Pool::allocate, Pool::free_all};
  OTF2_Archive_SetFlushCallbacks(archive_, &flush, this);
  OTF2_Archive_SetMemoryCallbacks(archive_, &memory, pool_.get());
  OTF2_Archive_SetCreator(archive_, "Latecomer " LATECOMER_VERSION);
}

ArchiveWriter::~ArchiveWriter() { close(); }

// OTF2 holds 4 MB of each file back. If it cannot write them, it frees them and continues to use
// them. So it is only asked to write what there is room for.
OTF2_FlushType ArchiveWriter::before_flush(void* self, OTF2_FileType, OTF2_LocationRef, void*,
                                           bool) {
  auto* const archive = static_cast<ArchiveWriter*>(self);
  if (archive->errors_.status()) {
    mend_mode(archive->errors_.file());
    const int error = reserve(archive->errors_.file(), archive->pool_->file_bytes());
    if (error != 0) archive->errors_.add(error);
  }
  return archive->errors_.status() ? OTF2_FLUSH : OTF2_NO_FLUSH;
}

void ArchiveWriter::begin(const Writer& writer) {
  writer_ = writer;
  errors_.about(directory_ + '/' + layout::kArchiveName);
  static const OTF2_CollectiveCallbacks callbacks{nullptr,    get_size,   get_rank,   nullptr,
                                                  nullptr,    barrier,    broadcast,  no_gather,
                                                  no_gatherv, no_scatter, no_scatterv};
  OTF2_Archive_SetCollectiveCallbacks(archive_, &callbacks, &writer_, nullptr, nullptr);
  OTF2_Archive_OpenEvtFiles(archive_);
  OTF2_Archive_OpenDefFiles(archive_);
  if (writer_.rank == 0) mend_mode(errors_.file());
}

void ArchiveWriter::begin_file(const std::string& path) {
  errors_.about(path);
  pool_->next_file();
}

void ArchiveWriter::end_file() {
  mend_mode(errors_.file());
  release(errors_.file());
}

std::string ArchiveWriter::file(std::uint64_t location, const char* kind) const {
  return directory_ + '/' + layout::kArchiveName + '/' + std::to_string(location) + kind;
}

void ArchiveWriter::close() {
  if (archive_ == nullptr) return;
  errors_.about(directory_ + '/' + layout::kAnchor);
  OTF2_Archive_CloseEvtFiles(archive_);
  OTF2_Archive_CloseDefFiles(archive_);
  OTF2_Archive_Close(archive_);
  mend_mode(errors_.file());
  archive_ = nullptr;
}

void remove_archive(const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path path(directory);
  std::error_code ignored;
  fs::remove(path / layout::kAnchor, ignored);
  fs::remove(path / layout::kManifest, ignored);
  fs::remove(path / (std::string(layout::kArchiveName) + ".def"), ignored);
  fs::remove_all(path / layout::kArchiveName, ignored);
}

}  // namespace latecomer::otf2
