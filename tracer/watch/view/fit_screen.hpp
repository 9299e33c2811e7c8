// SPDX-License-Identifier: BSD-3-Clause
// Fits a view into the rows and columns of a terminal, and counts what is left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::watch {

struct Screen {
  std::size_t columns = 0, rows = 0;  // 0: without limit
};

// A part of a view. Its lines have no line feeds, and may contain any bytes.
struct Block {
  std::vector<std::string> head;  // that is shown always
  std::vector<std::string> lines;
  // Indices of `lines`, those that are left out last come first; empty: as they are.
  std::vector<std::size_t> importance;
  std::size_t most = 0;  // lines that are shown if rows are limited; 0: any number
};

// If there are too few rows, the blocks share them evenly. A block that is cut ends with a line
// such as "... 12 more". Lines that are too long end with "...". All bytes are harmless for a
// terminal.
[[nodiscard]] std::string fit(const std::vector<Block>& blocks, const Screen& screen);

// The part of a line that fits; 0 columns: all of it. Each character counts as one column.
[[nodiscard]] std::string cut_line(std::string_view line, std::size_t columns);
// Leaves out the outermost functions of a call path that is too long:
//   main > solve > exchange > MPI_Wait (a.c:7)  ->  ... > exchange > MPI_Wait (a.c:7)
[[nodiscard]] std::string cut_path(std::string_view path, std::size_t columns);
// As many of the parts as fit, with semicolons: "a 1; b 2; ... 3 more".
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::size_t columns);

}  // namespace latecomer::watch
