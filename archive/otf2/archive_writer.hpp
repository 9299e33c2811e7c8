// SPDX-License-Identifier: BSD-3-Clause
// Writes an OTF2 archive.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/otf2/errors.hpp"
#include "archive/otf2/room.hpp"
#include "archive/result.hpp"

namespace latecomer::otf2 {

// Size of the chunks in which OTF2 writes; readers keep one or two per location in memory.
inline constexpr std::uint64_t kEventChunk = OTF2_CHUNK_SIZE_MIN;

// Size of a chunk for the largest definition: the group of all `size` processes.
[[nodiscard]] std::uint64_t definition_chunk(std::uint32_t size);

struct Writer {
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

// Each process has its own handle, and OTF2 never communicates. With one file per location the
// processes only have to agree whether rank 0 could create the directories, and the users of this
// class do that.
//
//   ArchiveWriter archive(directory, chunk);
//   archive.begin({rank, size});   // rank 0 first: it creates the directories
//   events and local definitions of each location; on rank 0 the global definitions
//   archive.close();
//   archive.status()
//
// Nothing fails in between: the first error is kept, and later calls do no harm.
class ArchiveWriter {
 public:
  ArchiveWriter(const std::string& directory, std::uint64_t definition_chunk,
                std::uint64_t event_chunk = kEventChunk);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // The archive; null if there is none.
  [[nodiscard]] OTF2_Archive* handle() const { return archive_; }

  // Says which of the processes that write the archive this is. A single process is {0, 1}.
  void begin(const Writer& writer);

  // `write(OTF2_EvtWriter*)` writes the events of a location. The writer is closed in any case.
  template <typename Write>
  void write_location(std::uint64_t location, Write&& write) {
    begin_file(file(location, ".evt"));
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
    if (writer == nullptr) return;
    write(writer);
    OTF2_Archive_CloseEvtWriter(archive_, writer);
    end_file();
  }

  // `write(OTF2_DefWriter*)` writes the local definitions of a location.
  template <typename Write>
  void write_local_definitions(std::uint64_t location, Write&& write) {
    begin_file(file(location, ".def"));
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location);
    if (writer == nullptr) return;
    write(writer);
    OTF2_Archive_CloseDefWriter(archive_, writer);
    end_file();
  }

  // `write(OTF2_GlobalDefWriter*)` writes the global definitions.
  template <typename Write>
  void write_definitions(Write&& write) {
    begin_file(directory_ + "/traces.def");
    OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (writer == nullptr) return;
    write(writer);
    OTF2_Archive_CloseGlobalDefWriter(archive_, writer);
    end_file();
  }

  // Closes all files; the process that writes the anchor writes it now.
  void close();

  [[nodiscard]] Status status() const { return errors_.status(); }

  // While true, errors of OTF2 come from reading another archive and do not count for this one.
  void reading(bool yes) { errors_.pause(yes); }

 private:
  // Memory of a writer. It is reused for the next one, and flushed when it is full.
  class Pool;

  void begin_file(const std::string& path);
  void end_file();
  [[nodiscard]] std::string file(std::uint64_t location, const char* kind) const;
  static OTF2_FlushType before_flush(void* self, OTF2_FileType, OTF2_LocationRef, void*, bool);

  const std::string directory_;
  Errors errors_;
  Writer writer_;
  std::unique_ptr<Pool> pool_;
  OTF2_Archive* archive_ = nullptr;
};

// Removes all files of an archive; records and reports stay.
void remove_archive(const std::string& directory);

}  // namespace latecomer::otf2
