// SPDX-License-Identifier: BSD-3-Clause
// Checks the records of a definition file before the OTF2 library reads them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace latecomer::otf2 {

enum class DefinitionsOf : std::uint8_t { kAll, kOneLocation };  // traces.def, traces/0.def

// True if the records of a definition file lead from one to the next up to the end mark, and none
// states more elements than bytes. `chunk` is the size of its chunks in bytes. The library must not
// read other files: it takes their last record again and again, or what happens to follow in
// memory, or asks for tens of gigabytes.
[[nodiscard]] bool definitions_are_whole(const std::filesystem::path& file, DefinitionsOf what,
                                         std::uint64_t chunk);

}  // namespace latecomer::otf2
