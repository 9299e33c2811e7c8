// SPDX-License-Identifier: BSD-3-Clause
// Access to the files of an experiment. Anything may have their names: a FIFO without a writer, a
// device without an end, a link to another file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace latecomer {

// Text for an errno of these functions. Only regular files are opened, though links to them are
// followed for reading. The error is EISDIR for a directory and EINVAL for anything else.
[[nodiscard]] std::string file_error(int error);

// Opens a file for reading. Returns a descriptor, or -1 and sets errno.
[[nodiscard]] int open_plain(const std::string& path);

// The whole content; empty on an error, which is in errno: EFBIG if there is more than `most`.
[[nodiscard]] std::optional<std::string> plain_content(const std::string& path,
                                                       std::uint64_t most = UINT64_MAX);

// The functions below keep what they write under that name: links are replaced, not followed.

// Makes a new file for writing instead of the existing one. Returns a descriptor, or -1 and sets
// errno.
[[nodiscard]] int make_plain(const std::string& path);

// Makes such a file with this content. Returns 0 or an errno.
[[nodiscard]] int write_plain(const std::string& path, std::string_view content);

// Appends to a file, which is made if it does not exist. Returns 0 or an errno.
[[nodiscard]] int append_plain(const std::string& path, std::string_view content);

}  // namespace latecomer
