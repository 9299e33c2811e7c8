// SPDX-License-Identifier: BSD-3-Clause
// Reads the global definitions of an OTF2 archive.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/definitions/definitions.hpp"
#include "archive/result.hpp"

namespace latecomer::trace {

// Reads all global definitions of an open archive. Problems: damaged or empty definitions, or
// locations without a process. Unknown references and missing names are replaced by defaults.
[[nodiscard]] Result<Definitions> read_definitions(OTF2_Reader* reader, const std::string& where);

}  // namespace latecomer::trace
