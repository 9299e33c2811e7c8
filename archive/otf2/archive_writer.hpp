// SPDX-License-Identifier: BSD-3-Clause
// The OTF2 archive that is being written.
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

// Chunks in which OTF2 writes, and of which readers keep one or two per location.
inline constexpr std::uint64_t kEventChunk = OTF2_CHUNK_SIZE_MIN;

// A chunk must hold the largest definition: the group of all `size` processes.
[[nodiscard]] std::uint64_t definition_chunk(std::uint32_t size);

struct Writer {
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

// Each process has its own handle, and OTF2 never communicates: with a file per location there is
// nothing to agree about but whether rank 0 could create the directories, and its users do that.
//
//   ArchiveWriter archive(directory, chunk);
//   archive.begin({rank, size});   // rank 0 first: it creates the directories
//   events and local definitions of each location; on rank 0 the global definitions
//   archive.close();
//   archive.status()
// Nothing fails in between: the first error is kept, later calls do no harm.
class ArchiveWriter {
 public:
  ArchiveWriter(const std::string& directory, std::uint64_t definition_chunk,
                std::uint64_t event_chunk = kEventChunk);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Null if there is none.
  [[nodiscard]] OTF2_Archive* handle() const { return archive_; }

  // Which of the processes that write the archive this is. A process alone is {0, 1}.
  void begin(const Writer& writer);

  // `write(OTF2_EvtWriter*)` writes the events of a location. Whatever happens the writer is
  // closed.
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

  // On the process that writes the anchor this is where it is written.
  void close();

  [[nodiscard]] Status status() const { return errors_.status(); }

  // Errors of OTF2 that come while it reads another archive are none of this one.
  void reading(bool yes) { errors_.pause(yes); }

 private:
  // Memory of a writer: used again for the next one, and flushed when it is full.
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

// Removes what an archive consists of; records and reports stay.
void remove_archive(const std::string& directory);

}  // namespace latecomer::otf2
