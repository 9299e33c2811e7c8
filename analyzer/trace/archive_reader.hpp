// SPDX-License-Identifier: BSD-3-Clause
// An OTF2 archive on disk: opened once per analysis process, read location by location.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/definitions/local_definitions.hpp"
#include "analyzer/trace/definitions/teams.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/core/event_file.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "analyzer/trace/events/other_events.hpp"
#include "archive/result.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::trace {

// Reader of an archive.
// MT: one thread. Every process opens the archive on its own; nothing here communicates.
class ArchiveReader {
 public:
  // `path` is an experiment directory, or an anchor file (*.otf2).
  // Problems: nothing there, no anchor, not OTF2, damaged definitions.
  [[nodiscard]] static Result<ArchiveReader> open(const std::filesystem::path& path);
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;
  ~ArchiveReader();

  [[nodiscard]] const Definitions& definitions() const { return definitions_; }
  [[nodiscard]] Definitions& definitions() { return definitions_; }
  [[nodiscard]] const std::filesystem::path& anchor() const { return anchor_; }
  // Bytes of the event file of a location of any kind; none if there is no file.
  [[nodiscard]] std::optional<std::uintmax_t> event_bytes(std::uint64_t location_id) const;

  // True if the location has a complete file of local definitions, which the library can read.
  [[nodiscard]] bool has_whole_definitions(std::uint64_t location_id) const;

  // Per location: its event file is there. In a part of an archive most files are not.
  [[nodiscard]] std::vector<bool> event_files() const;

  // Equal for the parts of an archive and for copies; different for different runs.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // Selects the locations that will be read, and those of their processes that are no threads.
  // Reads their local definitions. This attaches clock offsets and id mappings to them, so it must
  // come before any events.
  void select(std::span<const std::uint32_t> locations);
  [[nodiscard]] const std::vector<ClockOffset>& clock_offsets(std::uint32_t location) const;
  // Replaces the clock offsets of the archive by these functions, one per location.
  void replace_clock_offsets(std::vector<sync::PiecewiseLinear> functions);
  // These functions; empty: the offsets of the archive apply.
  [[nodiscard]] const std::vector<sync::PiecewiseLinear>& functions() const { return functions_; }

  // Reads all events of a selected location into `tree` and the result. If the file is missing, cut
  // or damaged, the result has what could be read; `opened`, `complete` and the quality counters
  // say so. `progress` is called from time to time with the number of further events.
  [[nodiscard]] LocationEvents read(std::uint32_t location, CallTree& tree,
                                    const std::function<void(std::uint64_t)>& progress);

  // Reads a location that is no thread, by its index in Definitions::other_locations. Its process
  // was selected.
  [[nodiscard]] OtherEvents read_other(std::uint32_t location);

  // Counts the events in the file of a location up to its end or a cut, whatever their types. Reads
  // the whole file.
  [[nodiscard]] std::uint64_t count_events(std::uint32_t location);

 private:
  ArchiveReader() = default;
  struct Handle;
  [[nodiscard]] std::filesystem::path local_file(std::uint64_t location, const char* ending) const;
  [[nodiscard]] bool has_local_definitions();
  void read_local(bool opened, std::uint64_t id, LocalDefinitions& local);

  std::unique_ptr<Handle> handle_;
  std::filesystem::path anchor_;
  Definitions definitions_;
  std::vector<LocalDefinitions> local_;            // per location
  std::vector<LocalDefinitions> local_of_others_;  // per location that is no thread
  std::vector<sync::PiecewiseLinear> functions_;   // per location; empty: offsets apply
  Teams teams_;
  std::optional<bool> has_local_definitions_;       // set on first use
  std::uint64_t chunk_ = 0, definition_chunk_ = 0;  // bytes per chunk
  EventFile::Buffer buffer_;
};

}  // namespace latecomer::trace
