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

#include "analyzer/trace/call_tree.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/event_file.hpp"
#include "analyzer/trace/local_definitions.hpp"
#include "analyzer/trace/location_events.hpp"
#include "analyzer/trace/teams.hpp"
#include "archive/result.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::trace {

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
  // Bytes of the event file of a location of any kind; nothing if it is not there.
  [[nodiscard]] std::optional<std::uintmax_t> event_bytes(std::uint64_t location_id) const;

  // Whether it has a whole file of local definitions, which the library may read.
  [[nodiscard]] bool has_whole_definitions(std::uint64_t location_id) const;

  // Per location whether its event file is there. In a part of an archive most are not.
  [[nodiscard]] std::vector<bool> event_files() const;

  // Equal for the parts of an archive and for copies; different runs have different ones.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // Names the locations that will be read and reads their local definitions (clock offsets and id
  // mappings are attached to a location by this: it must come before any events).
  void select(std::span<const std::uint32_t> locations);
  [[nodiscard]] const std::vector<ClockOffset>& clock_offsets(std::uint32_t location) const;
  // From now on these functions, one per location, stand for the clock offsets of the archive.
  void replace_clock_offsets(std::vector<sync::PiecewiseLinear> functions);
  // Those functions; none: the offsets of the archive hold.
  [[nodiscard]] const std::vector<sync::PiecewiseLinear>& functions() const { return functions_; }

  // Reads all events of a selected location into `tree` and the result. A missing, cut or damaged
  // file yields what could be read, with `opened`, `complete` and the quality counters saying so.
  // `progress` is called now and then with the number of further events read.
  [[nodiscard]] LocationEvents read(std::uint32_t location, CallTree& tree,
                                    const std::function<void(std::uint64_t)>& progress);

  // Events in the file of a location, up to where it ends or is cut, without a look at what they
  // are. Reads the whole file.
  [[nodiscard]] std::uint64_t count_events(std::uint32_t location);

 private:
  ArchiveReader() = default;
  struct Handle;
  [[nodiscard]] std::filesystem::path local_file(std::uint64_t location, const char* ending) const;
  [[nodiscard]] bool has_local_definitions();

  std::unique_ptr<Handle> handle_;
  std::filesystem::path anchor_;
  Definitions definitions_;
  std::vector<LocalDefinitions> local_;           // per location
  std::vector<sync::PiecewiseLinear> functions_;  // per location, or none: the archive's offsets
  Teams teams_;
  std::optional<bool> has_local_definitions_;       // once asked for
  std::uint64_t chunk_ = 0, definition_chunk_ = 0;  // bytes per chunk
  EventFile::Buffer buffer_;
};

}  // namespace latecomer::trace
