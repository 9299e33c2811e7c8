// SPDX-License-Identifier: BSD-3-Clause
// LocationBuilder's part for files: bytes, calls that complete operations, and collective calls.
#include <otf2/otf2.h>

#include "analyzer/trace/events/location_builder.hpp"

namespace latecomer::trace {

void LocationBuilder::file_call(Ticks t, std::uint32_t handle) {
  advance(t);
  add_file_call(handle);
}

// The first record of a collective call says which file it is about. Tracers write these records
// before or after the operation itself, so the whole call counts as the operation.
void LocationBuilder::add_file_call(std::uint32_t handle) {
  const Frame& top = stack_.back();
  const auto operation = definitions_.regions[top.region].file_operation;
  if (!operation || stack_.size() < 2) return;
  const std::uint32_t index = definitions_.file_ids.find(handle);
  if (index == kNone) return;  // a handle of another I/O library
  if (is_last_collective(top.call)) return;
  if (definitions_.files[index].comm == kNone) return out_.quality.add(Quality::kUnknownFileGroups);
  Collective slot;
  slot.begin = top.enter;
  complete(slot, last_,
           {definitions_.files[index].comm, OTF2_COLLECTIVE_ROOT_NONE,
            static_cast<std::uint8_t>(*operation), false, 0, 0, false, 0});
  if (slot.kind != Collective::kOpen) out_.collectives.push_back(slot);
}

void LocationBuilder::end_file_call(std::uint32_t call, Ticks t) {
  if (is_last_collective(call)) out_.collectives[out_.collectives.size() - 1].end = t;
}

bool LocationBuilder::is_last_collective(std::uint32_t call) const {
  if (out_.collectives.empty()) return false;
  const auto& last = out_.collectives[out_.collectives.size() - 1];
  return last.kind != Collective::kOpen && last.call == call;
}

// Remembers the call path that begins an operation, until its end is recorded.
void LocationBuilder::file_operation_begin(Ticks t, std::uint32_t handle, FileOperation what,
                                           std::uint64_t matching) {
  advance(t);
  add_file_call(handle);
  const Frame& top = stack_.back();
  if (!definitions_.regions[top.region].file_access) return;  // a handle of another I/O library
  open_file_operations_[{handle, matching}] = {top.node, what};
}

// The bytes count at the call path that began the operation. A call such as MPI_Wait completes it
// by a request.
void LocationBuilder::file_operation_end(Ticks t, std::uint32_t handle, std::uint64_t bytes,
                                         std::uint64_t matching) {
  advance(t);
  using enum patterns::CollectiveOperation;
  const auto operation = definitions_.regions[stack_.back().region].file_operation;
  if (operation == kFileReadEnd || operation == kFileWriteEnd) add_file_call(handle);
  const auto open = open_file_operations_.find({handle, matching});
  const Region& here = definitions_.regions[stack_.back().region];
  const bool by_request = here.mpi && !here.file_access;
  if (open == open_file_operations_.end()) {
    if (!several_threads_) return;
    out_.completed_here.push_back({.kind = HandedRequest::Kind::kFile,
                                   .index = by_request ? call() : kNone,
                                   .handle = handle,
                                   .id = matching,
                                   .bytes = bytes});
    return;
  }
  const auto [node, what] = open->second;
  open_file_operations_.erase(open);
  out_.count_file_bytes(node, what == FileOperation::kWrite, what != FileOperation::kOther, bytes);
  if (by_request) out_.file_requests.push_back({call(), node});
}

void LocationBuilder::file_operation_cancelled(Ticks t, std::uint32_t handle,
                                               std::uint64_t matching) {
  advance(t);
  open_file_operations_.erase({handle, matching});
}

}  // namespace latecomer::trace
