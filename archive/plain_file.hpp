// SPDX-License-Identifier: BSD-3-Clause
// The files of an experiment. Anything may lie there under their names: a FIFO that nobody writes
// to, a device without an end, a link to a file elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace latecomer {

// What is opened here is a regular file, also behind links; the error of a directory is
// EISDIR, of anything else EINVAL, for which file_error() has words.
[[nodiscard]] std::string file_error(int error);

// For reading. -1: errno.
[[nodiscard]] int open_plain(const std::string& path);

// All that is in it. Nothing: errno; EFBIG where there is more than `most`.
[[nodiscard]] std::optional<std::string> plain_content(const std::string& path,
                                                       std::uint64_t most = UINT64_MAX);

// What is written stays under that name: links are replaced, not followed.

// A new file for writing in place of what is there. -1: errno.
[[nodiscard]] int make_plain(const std::string& path);

// The same with this content. 0 or an errno.
[[nodiscard]] int write_plain(const std::string& path, std::string_view content);

// Adds to the end of a file, which is made where there is none. 0 or an errno.
[[nodiscard]] int append_plain(const std::string& path, std::string_view content);

}  // namespace latecomer
