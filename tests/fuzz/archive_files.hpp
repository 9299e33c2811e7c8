// SPDX-License-Identifier: BSD-3-Clause
// Small archives, and changes of their files that know how OTF2 stores records.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// Messages, collective operations, clocks that are off; one-sided communication, files, threads,
// with every record of OTF2; what a run without a common file system leaves of the first.
enum class Archive { kMessages, kAllRecords };
[[nodiscard]] Files archive_files(Archive which);

// Changes the records of a file of events, or of definitions: one goes, comes twice, moves, gets
// another type, another number, another time.
void mutate_records(Bytes& bytes, Random& random, bool events);

// By the ending of its name: records, or bytes.
void mutate_archive_file(const std::string& name, Bytes& bytes, Random& random);

}  // namespace latecomer::fuzz
