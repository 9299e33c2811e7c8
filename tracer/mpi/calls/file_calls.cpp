// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes of MPI_File functions.
#include "tracer/mpi/calls/call.hpp"
#include "tracer/mpi/objects/files.hpp"
#include "tracer/mpi/objects/requests.hpp"
#include "tracer/mpi/objects/statuses.hpp"

namespace latecomer::mpi {
namespace {

// Byte of the file at which its pointer is. MPI counts in elements of the view, without its holes.
MPI_Offset position(MPI_File file) {
  MPI_Offset elements = 0, bytes = -1;
  PMPI_File_get_position(file, &elements);
  PMPI_File_get_byte_offset(file, elements, &bytes);
  return bytes;
}

void free_if_derived(MPI_Datatype& type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&type);
}

// Bytes of data in an element of the view.
MPI_Offset element_bytes(MPI_File file) {
  MPI_Offset begin = 0;
  MPI_Datatype element = MPI_DATATYPE_NULL, view = MPI_DATATYPE_NULL;
  char representation[MPI_MAX_DATAREP_STRING];
  if (PMPI_File_get_view(file, &begin, &element, &view, representation) != MPI_SUCCESS) return 1;
  int bytes = 1;
  PMPI_Type_size(element, &bytes);
  free_if_derived(element);
  free_if_derived(view);
  return bytes;
}

std::uint32_t recorded_whence(int whence) {
  return whence == MPI_SEEK_CUR   ? record::kFromCurrent
         : whence == MPI_SEEK_END ? record::kFromEnd
                                  : record::kFromStart;
}

}  // namespace

namespace files {

MPI_Offset origin(MPI_File file, int whence) {
  MPI_Offset bytes = 0;
  if (whence == MPI_SEEK_SET || find(file) == nullptr) return bytes;
  if (whence == MPI_SEEK_CUR) return position(file);
  PMPI_File_get_size(file, &bytes);
  return bytes;
}

}  // namespace files

void Call::file_opened(MPI_Comm comm, const char* name, int amode, MPI_File file) {
  if (failed() || file == MPI_FILE_NULL || name == nullptr) return;
  const FileInfo* info = files::add(file, comm, name, amode);
  if (info != nullptr) writer_->file_opened(info->handle, time_);
}

void Call::file_closed(ClosingFile& file) {
  const std::optional<FileInfo> closed = failed() ? std::nullopt : file.closed();
  if (!closed) return;
  if (closed->deletes) writer_->file_deleted(closed->file, time_);
  writer_->file_closed(closed->handle, time_);
}

void Call::file_set(MPI_File file) {
  const FileInfo* info = failed() ? nullptr : files::find(file);
  if (info != nullptr) writer_->file_call(info->handle, time_);
}

void Call::file_deleted(const char* name) {
  if (failed() || name == nullptr || !communicators::known()) return;
  writer_->file_deleted(files::name_of(name), time_);
}

void Call::file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                          const MPI_Status* status) {
  const FileInfo* info = files::find(file);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  writer_->file_begin(info->handle, what.mode, what.flags, bytes, id, entry_);
  writer_->file_complete(info->handle, file_bytes(status, result_), id, time_);
}

// A split collective operation (MPI_File_..._begin and _end) is recorded as nonblocking, under an
// id that marks it.
void Call::begin_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes) {
  FileInfo* info = failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  info->split = requests::next_id() | record::kSplit;
  writer_->file_begin(info->handle, what.mode, what.flags | kNonblocking, bytes, info->split,
                      entry_);
  writer_->file_issued(info->handle, info->split, time_);
}

void Call::end_file_operation(MPI_File file, const MPI_Status* status) {
  FileInfo* info = files::find(file);
  if (info == nullptr || info->split == 0) return;
  writer_->file_complete(info->handle, file_bytes(status, result_), info->split, time_);
  info->split = 0;
}

void Call::start_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                                const MPI_Request* request) {
  const FileInfo* info = failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  writer_->file_begin(info->handle, what.mode, what.flags | kNonblocking, bytes, id, entry_);
  writer_->file_issued(info->handle, id, time_);
  requests::keep(request,
                 {.kind = Request::Kind::kFile, .id = id, .message = {.comm = info->handle}});
}

void Call::file_moved(MPI_File file, MPI_Offset origin, int whence) {
  const FileInfo* info = failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  const MPI_Offset now = position(file);
  writer_->file_moved(info->handle, now - origin, recorded_whence(whence),
                      static_cast<std::uint64_t>(now), time_);
}

// The position of the shared pointer could only be found by a collective look into its file.
void Call::shared_pointer_moved(MPI_File file, MPI_Offset offset, int whence) {
  const FileInfo* info = failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  MPI_Offset now = -1;
  if (whence == MPI_SEEK_SET) PMPI_File_get_byte_offset(file, offset, &now);
  const MPI_Offset by = whence == MPI_SEEK_SET ? now : offset * element_bytes(file);
  writer_->file_moved(info->handle, by, recorded_whence(whence), static_cast<std::uint64_t>(now),
                      time_);
  writer_->file_call(info->handle, time_);
}

std::uint64_t Call::file_bytes(const MPI_Status* status, int error) {
  if (error != MPI_SUCCESS || status == MPI_STATUS_IGNORE) return 0;
  return received_bytes(*status);
}

}  // namespace latecomer::mpi
