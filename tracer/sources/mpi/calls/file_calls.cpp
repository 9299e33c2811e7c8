// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes of MPI_File functions.
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/files.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/statuses.hpp"

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

void FileCalls::file_opened(MPI_Comm comm, const char* name, int amode, MPI_File file) {
  Call& call = call_of(this);
  if (call.failed() || file == MPI_FILE_NULL || name == nullptr) return;
  const FileInfo* info = files::add(file, comm, name, amode);
  if (info != nullptr) call.writer().file_opened(info->handle, call.time());
}

void FileCalls::file_closed(ClosingFile& file) {
  Call& call = call_of(this);
  const std::optional<FileInfo> closed = call.failed() ? std::nullopt : file.closed();
  if (!closed) return;
  if (closed->deletes) call.writer().file_deleted(closed->file, call.time());
  call.writer().file_closed(closed->handle, call.time());
}

void FileCalls::file_set(MPI_File file) {
  Call& call = call_of(this);
  const FileInfo* info = call.failed() ? nullptr : files::find(file);
  if (info != nullptr) call.writer().file_call(info->handle, call.time());
}

void FileCalls::file_deleted(const char* name) {
  Call& call = call_of(this);
  if (call.failed() || name == nullptr || !communicators::known()) return;
  call.writer().file_deleted(files::name_of(name), call.time());
}

void FileCalls::file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                               const MPI_Status* status) {
  Call& call = call_of(this);
  const FileInfo* info = files::find(file);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  call.writer().file_begin(info->handle, what.mode, what.flags, bytes, id, call.entry());
  call.writer().file_complete(info->handle, file_bytes(status, call.result()), id, call.time());
}

// A split collective operation (MPI_File_..._begin and _end) is recorded as nonblocking, under an
// id that marks it.
void FileCalls::begin_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes) {
  Call& call = call_of(this);
  FileInfo* info = call.failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  info->split = requests::next_id() | record::kSplit;
  call.writer().file_begin(info->handle, what.mode, what.flags | kNonblocking, bytes, info->split,
                           call.entry());
  call.writer().file_issued(info->handle, info->split, call.time());
}

void FileCalls::end_file_operation(MPI_File file, const MPI_Status* status) {
  Call& call = call_of(this);
  FileInfo* info = files::find(file);
  if (info == nullptr || info->split == 0) return;
  call.writer().file_complete(info->handle, file_bytes(status, call.result()), info->split,
                              call.time());
  info->split = 0;
}

void FileCalls::start_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                                     const MPI_Request* request) {
  Call& call = call_of(this);
  const FileInfo* info = call.failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  call.writer().file_begin(info->handle, what.mode, what.flags | kNonblocking, bytes, id,
                           call.entry());
  call.writer().file_issued(info->handle, id, call.time());
  requests::keep(request,
                 {.kind = Request::Kind::kFile, .id = id, .message = {.comm = info->handle}});
}

void FileCalls::file_moved(MPI_File file, MPI_Offset origin, int whence) {
  Call& call = call_of(this);
  const FileInfo* info = call.failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  const MPI_Offset now = position(file);
  call.writer().file_moved(info->handle, now - origin, recorded_whence(whence),
                           static_cast<std::uint64_t>(now), call.time());
}

// The position of the shared pointer could only be found by a collective look into its file.
void FileCalls::shared_pointer_moved(MPI_File file, MPI_Offset offset, int whence) {
  Call& call = call_of(this);
  const FileInfo* info = call.failed() ? nullptr : files::find(file);
  if (info == nullptr) return;
  MPI_Offset now = -1;
  if (whence == MPI_SEEK_SET) PMPI_File_get_byte_offset(file, offset, &now);
  const MPI_Offset by = whence == MPI_SEEK_SET ? now : offset * element_bytes(file);
  call.writer().file_moved(info->handle, by, recorded_whence(whence),
                           static_cast<std::uint64_t>(now), call.time());
  call.writer().file_call(info->handle, call.time());
}

}  // namespace latecomer::mpi
