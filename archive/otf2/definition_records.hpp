// SPDX-License-Identifier: BSD-3-Clause
// The records of a file of definitions, looked at before the OTF2 library reads them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace latecomer::otf2 {

enum class DefinitionsOf : std::uint8_t { kAll, kOneLocation };  // traces.def, traces/0.def

// Whether the records of a file of definitions lead from one to the next up to its end mark, with
// `chunk` bytes per chunk, and none says that it has more elements than bytes. The
// library must not read others: it takes the last of their records again and again, or what
// happens to lie in memory after them, or asks for tens of gigabytes.
[[nodiscard]] bool definitions_are_whole(const std::filesystem::path& file, DefinitionsOf what,
                                         std::uint64_t chunk);

}  // namespace latecomer::otf2
