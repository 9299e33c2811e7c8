// SPDX-License-Identifier: BSD-3-Clause
// How the files of an archive end.
#pragma once

#include <cstdint>
#include <filesystem>

namespace latecomer::otf2 {

// Whether a file of events or definitions ends with the end mark: a cut one does not, and the
// library does not notice when it reads definitions.
[[nodiscard]] bool has_end_mark(const std::filesystem::path& file);

// Whether the records of a file of definitions lead from one to the next up to its end mark, with
// `chunk` bytes per chunk. The library must not read others: it takes the last of their records
// again and again, or what happens to lie in memory after them.
[[nodiscard]] bool definitions_lead_to_end(const std::filesystem::path& file, std::uint64_t chunk);

}  // namespace latecomer::otf2
