// SPDX-License-Identifier: BSD-3-Clause
// Writes a synthetic archive, one location after another, so that it may exceed the memory.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "tests/support/trace_model.hpp"

namespace latecomer::test {

inline constexpr std::uint64_t kEventChunk = 1 << 20;
inline constexpr std::uint32_t kProgramName = 1;  // id of the string

// Order of use: write_events() for each location that has an event file, then finish().
// Throws std::runtime_error when OTF2 fails: a test that cannot write its trace has failed.
class ArchiveWriter {
 public:
  // The directory may exist, but must not hold an archive.
  explicit ArchiveWriter(const std::filesystem::path& directory);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Writes traces/<location>.evt with `write`; returns the number of events.
  std::uint64_t write_events(std::uint64_t location,
                             const std::function<void(OTF2_EvtWriter*)>& write);
  // Writes traces/<location>.def for all locations, traces.def and the anchor.
  void finish(const TraceModel& model);

 private:
  OTF2_Archive* archive_ = nullptr;
};

}  // namespace latecomer::test
