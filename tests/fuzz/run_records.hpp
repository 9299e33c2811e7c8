// SPDX-License-Identifier: BSD-3-Clause
// Files of a run of two processes that ended before its archive was written, and changes of them.
#pragma once

#include <string>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// An experiment directory with records/0.0.rec, records/0.def, ...
[[nodiscard]] Files run_records();

// Changes words of 64 bits in records of threads, and lines in logs of definitions.
void mutate_record_file(const std::string& name, Bytes& bytes, Random& random);

}  // namespace latecomer::fuzz
