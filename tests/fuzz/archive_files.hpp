// SPDX-License-Identifier: BSD-3-Clause
// Small archives, and changes of their files that respect how OTF2 stores records.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// kMessages: messages, collective operations and wrong clocks. kAllRecords: one-sided
// communication, files, threads, with every record of OTF2.
enum class Archive { kMessages, kAllRecords };
[[nodiscard]] Files archive_files(Archive which);

// Changes the records of a file of events or of definitions: removes one, repeats it, moves it, or
// gives it another type, number or time.
void mutate_records(Bytes& bytes, Random& random, bool events);

// Changes records or bytes, depending on the ending of the file's name.
void mutate_archive_file(const std::string& name, Bytes& bytes, Random& random);

}  // namespace latecomer::fuzz
