// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's operations on files.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/events/core/added_bytes.hpp"
#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// Bytes moved by the file operations that a call path began.
struct FileBytes {
  std::int64_t read = 0, written = 0;
};

// A nonblocking file operation.
struct FileRequest {
  std::uint32_t call = 0;  // the call that completes it
  std::uint32_t node = 0;  // node of the call that began it
};

// Operations on a file outside MPI at one call path.
struct FileUse {
  std::uint32_t node = 0, file = 0;  // of the process's CallTree; of Definitions::file_names
  Ticks reading = 0, writing = 0, storing = 0;  // from the begin of operations to their ends
  Ticks opening = 0;                            // the rest of calls that open or close
  FileBytes bytes;
  std::int64_t operations = 0;
};

// All of one location.
struct FileOperations {
  std::vector<FileBytes> file_bytes;       // per node; may be shorter than the tree
  std::vector<FileRequest> file_requests;  // in the order of completion
  std::vector<FileUse> file_uses;          // by node and file

  // Adds bytes of a file operation that `node` began; sums are limited to the largest number.
  void count_file_bytes(std::uint32_t node, bool writes, bool counts, std::uint64_t bytes) {
    if (bytes > INT64_MAX) return;
    if (node >= file_bytes.size()) file_bytes.resize(node + 1);
    if (!counts) return;
    std::int64_t& sum = writes ? file_bytes[node].written : file_bytes[node].read;
    sum = added_bytes(sum, bytes);
  }
};

}  // namespace latecomer::trace
