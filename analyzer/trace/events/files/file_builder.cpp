// SPDX-License-Identifier: BSD-3-Clause
// Finds the collective operation that the records of a call on a file belong to.
#include "analyzer/trace/events/files/file_builder.hpp"

#include <otf2/otf2.h>

#include <algorithm>

namespace latecomer::trace {

namespace {

FileBuilder::Operation operation_of(std::uint8_t mode) {
  using enum FileBuilder::Operation;
  return mode == OTF2_IO_OPERATION_MODE_READ    ? kRead
         : mode == OTF2_IO_OPERATION_MODE_WRITE ? kWrite
                                                : kOther;
}

}  // namespace

bool FileBuilder::take(Event& event) {
  std::uint8_t mode = 0;
  std::uint32_t handle = 0, flags = 0;
  std::uint64_t bytes = 0, matching = 0;
  const Ticks t = event.time;
  if (!event.take(handle)) return false;
  handle = event.id(IdKind::kFileHandle, handle);
  const std::uint32_t outside = regions_.definitions().other_file_ids.find(handle);
  if (outside != kNone) return take_outside(event, outside);
  switch (event.record.type) {
    case kIoOperationBegin:
      if (!event.take(mode, flags, bytes, matching)) return false;
      begin(t, handle, operation_of(mode), matching);
      return true;
    case kIoOperationComplete:
      if (!event.take(bytes, matching)) return false;
      end(t, handle, bytes, matching);
      return true;
    case kIoOperationCancelled:
      if (!event.take(matching)) return false;
      cancelled(t, handle, matching);
      return true;
    default:
      collective_call(t, handle);
      return true;
  }
}

bool FileBuilder::take_outside(Event& event, std::uint32_t file) {
  std::uint8_t mode = 0;
  std::uint32_t flags = 0;
  std::uint64_t bytes = 0, matching = 0;
  switch (event.record.type) {
    case kIoOperationBegin:
      if (!event.take(mode, flags, bytes, matching)) return false;
      begin_outside(event.time, file, operation_of(mode), matching);
      return true;
    case kIoOperationComplete:
      if (!event.take(bytes, matching)) return false;
      end_outside(event.time, file, bytes, matching);
      return true;
    case kIoCreateHandle:
    case kIoDestroyHandle:
      opened_outside(event.time, file);
      return true;
    default:
      regions_.advance(event.time);
      return true;
  }
}

// True inside an MPI call: such accesses are how MPI itself implements files.
bool FileBuilder::is_in_mpi() const {
  return std::ranges::any_of(regions_.open(), [this](const Frame& frame) {
    return regions_.definitions().regions[frame.region].mpi;
  });
}

FileUse& FileBuilder::use_of(std::uint32_t node, std::uint32_t file) {
  const std::uint32_t name = regions_.definitions().other_files[file];
  return uses_.try_emplace({node, name}, FileUse{node, name}).first->second;
}

void FileBuilder::opened_outside(Ticks t, std::uint32_t file) {
  regions_.advance(t);
  const Frame& top = regions_.top();
  if (is_in_mpi() || !regions_.definitions().regions[top.region].is_file_call()) return;
  use_of(top.node, file).opening += t - std::max(top.enter, counted_until_);
  counted_until_ = t;
}

void FileBuilder::begin_outside(Ticks t, std::uint32_t file, Operation what,
                                std::uint64_t matching) {
  regions_.advance(t);
  if (is_in_mpi()) return;
  open_outside_[{file, matching}] = {t, regions_.top().node, what};
}

void FileBuilder::end_outside(Ticks t, std::uint32_t file, std::uint64_t bytes,
                              std::uint64_t matching) {
  regions_.advance(t);
  const auto open = open_outside_.find({file, matching});
  if (open == open_outside_.end()) return;
  const auto [begin, node, what] = open->second;
  open_outside_.erase(open);
  FileUse& use = use_of(node, file);
  ++use.operations;
  (what == Operation::kRead    ? use.reading
   : what == Operation::kWrite ? use.writing
                               : use.storing) += t - begin;
  counted_until_ = t;
  if (what == Operation::kOther || bytes > INT64_MAX) return;
  std::int64_t& sum = what == Operation::kWrite ? use.bytes.written : use.bytes.read;
  sum = added_bytes(sum, bytes);
}

void FileBuilder::collective_call(Ticks t, std::uint32_t handle) {
  regions_.advance(t);
  add_call(handle);
}

// The first record of a collective call says which file it is about. Tracers write these records
// before or after the operation itself, so the whole call counts as the operation.
void FileBuilder::add_call(std::uint32_t handle) {
  const Definitions& definitions = regions_.definitions();
  const Frame& top = regions_.top();
  const auto operation = definitions.regions[top.region].file_operation;
  if (!operation || regions_.open().size() < 2) return;
  const std::uint32_t index = definitions.file_ids.find(handle);
  if (index == kNone) return;  // a handle of another I/O library
  if (collectives_.is_last(top.call)) return;
  const std::uint32_t comm = definitions.files[index].comm;
  if (comm == kNone) return regions_.out().quality.add(Quality::kUnknownFileGroups);
  collectives_.add(top.enter, regions_.last(),
                   {comm, OTF2_COLLECTIVE_ROOT_NONE, static_cast<std::uint8_t>(*operation), false,
                    0, 0, false, 0});
}

void FileBuilder::end_call(std::uint32_t call, Ticks t) {
  if (collectives_.is_last(call)) collectives_.set_end_of_last(t);
}

// Remembers the call path that begins an operation, until its end is recorded.
void FileBuilder::begin(Ticks t, std::uint32_t handle, Operation what, std::uint64_t matching) {
  regions_.advance(t);
  add_call(handle);
  if (!regions_.top_region().file_access) return;  // a handle of another I/O library
  open_[{handle, matching}] = {regions_.top().node, what};
}

// The bytes count at the call path that began the operation. A call such as MPI_Wait completes it
// by a request.
void FileBuilder::end(Ticks t, std::uint32_t handle, std::uint64_t bytes, std::uint64_t matching) {
  regions_.advance(t);
  using enum patterns::CollectiveOperation;
  const auto operation = regions_.top_region().file_operation;
  if (operation == kFileReadEnd || operation == kFileWriteEnd) add_call(handle);
  const auto open = open_.find({handle, matching});
  const Region& here = regions_.top_region();
  const bool by_request = here.mpi && !here.file_access;
  if (open == open_.end()) {
    if (!regions_.has_several_threads()) return;
    regions_.out().completed_here.push_back({.kind = HandedRequest::Kind::kFile,
                                             .index = by_request ? regions_.call() : kNone,
                                             .handle = handle,
                                             .id = matching,
                                             .bytes = bytes});
    return;
  }
  const auto [node, what] = open->second;
  open_.erase(open);
  out_.count_file_bytes(node, what == Operation::kWrite, what != Operation::kOther, bytes);
  if (by_request) out_.file_requests.push_back({regions_.call(), node});
}

void FileBuilder::cancelled(Ticks t, std::uint32_t handle, std::uint64_t matching) {
  regions_.advance(t);
  open_.erase({handle, matching});
}

void FileBuilder::unrecorded(Ticks t, std::uint32_t handle, std::uint32_t series,
                             std::uint64_t count) {
  regions_.advance(t);
  const Definitions& definitions = regions_.definitions();
  const std::uint32_t file = definitions.file_ids.find(handle);
  const std::uint32_t comm = file == kNone ? kNone : definitions.files[file].comm;
  if (comm == kNone) return regions_.unknown_reference();
  collectives_.add_gap({count, 0, comm, 0, series, series, t});
}

FileOperations FileBuilder::finish() {
  for (const auto& [key, use] : uses_) out_.file_uses.push_back(use);
  for (const auto& [key, operation] : open_) {
    regions_.hand_on({.kind = HandedRequest::Kind::kFile,
                      .counts = operation.what != Operation::kOther,
                      .writes = operation.what == Operation::kWrite,
                      .index = operation.node,
                      .handle = key.first,
                      .id = key.second});
  }
  return std::move(out_);
}

}  // namespace latecomer::trace
