// SPDX-License-Identifier: BSD-3-Clause
// `latecomer info`: what an archive contains, as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/view/archive_info.hpp"

namespace latecomer::view {

// Long tables are cut; the JSON has everything.
[[nodiscard]] std::string info_text(const ArchiveInfo& info);
[[nodiscard]] nlohmann::ordered_json info_json(const ArchiveInfo& info);

}  // namespace latecomer::view
