// SPDX-License-Identifier: BSD-3-Clause
// What a run of two processes leaves that ends before its archive is written, and changes of that.
#pragma once

#include <string>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// An experiment directory with records/0.0.rec, records/0.def, ...
[[nodiscard]] Files run_records();

// Records of threads: words of 64 bits. Logs of definitions: lines.
void mutate_record_file(const std::string& name, Bytes& bytes, Random& random);

}  // namespace latecomer::fuzz
