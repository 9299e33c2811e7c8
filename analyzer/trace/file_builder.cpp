// SPDX-License-Identifier: BSD-3-Clause
// Operations on files: their bytes, and the calls that complete them.
#include <limits>

#include "analyzer/trace/location_builder.hpp"

namespace latecomer::trace {

void LocationBuilder::file_operation_begin(Ticks t, std::uint32_t handle, FileOperation what,
                                           std::uint64_t matching) {
  advance(t);
  const Frame& top = stack_.back();
  if (!definitions_.regions[top.region].file_access) return;  // of another I/O library
  open_file_operations_[{handle, matching}] = {top.node, what};
}

void LocationBuilder::file_operation_end(Ticks t, std::uint32_t handle, std::uint64_t bytes,
                                         std::uint64_t matching) {
  advance(t);
  const auto open = open_file_operations_.find({handle, matching});
  if (open == open_file_operations_.end()) return;
  const auto [node, what] = open->second;
  open_file_operations_.erase(open);
  if (bytes <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    if (node >= out_.file_bytes.size()) out_.file_bytes.resize(node + 1);
    auto& moved = out_.file_bytes[node];
    const auto add = [&](std::int64_t& sum) {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      const auto more = static_cast<std::int64_t>(bytes);
      sum = sum > kMost - more ? kMost : sum + more;
    };
    if (what == FileOperation::kRead) add(moved.read);
    if (what == FileOperation::kWrite) add(moved.written);
  }
  const Region& here = definitions_.regions[stack_.back().region];
  if (!here.mpi || here.file_access) return;  // it did not need a request
  out_.file_requests.push_back({call(), node});
}

void LocationBuilder::file_operation_cancelled(Ticks t, std::uint32_t handle,
                                               std::uint64_t matching) {
  advance(t);
  open_file_operations_.erase({handle, matching});
}

}  // namespace latecomer::trace
