// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer info`: the content of an archive, as text or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/view/archive/archive_info.hpp"

namespace latecomer::view {

// Long tables are shortened; the JSON is complete.
[[nodiscard]] std::string info_text(const ArchiveInfo& info);
[[nodiscard]] nlohmann::ordered_json info_json(const ArchiveInfo& info);

}  // namespace latecomer::view
