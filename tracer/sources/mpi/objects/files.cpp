// SPDX-License-Identifier: BSD-3-Clause
// Defines files.
#include "tracer/sources/mpi/objects/files.hpp"

#include <unistd.h>

#include <climits>
#include <mutex>
#include <utility>

#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"

namespace latecomer::mpi {
namespace {

FileState& state() { return process().mpi.files; }

// Processes identify a file by its absolute name. ROMIO's names may begin with the type of the file
// system and a colon; they are not changed.
std::string absolute(const std::string& name) {
  const auto colon = name.find(':'), slash = name.find('/');
  if (slash == 0 || colon < slash) return name;
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == nullptr) return name;
  const auto skip = name.starts_with("./") ? 2U : 0U;
  return std::string(here) + '/' + name.substr(skip);
}

record::FileHandleDefinition described(int amode) {
  record::FileHandleDefinition d;
  d.mode = (amode & MPI_MODE_RDWR) != 0     ? record::kReadWrite
           : (amode & MPI_MODE_WRONLY) != 0 ? record::kWriteOnly
                                            : record::kReadOnly;
  d.creation = ((amode & MPI_MODE_CREATE) != 0 ? record::kCreate : 0) |
               ((amode & MPI_MODE_EXCL) != 0 ? record::kExclusive : 0) |
               ((amode & MPI_MODE_SEQUENTIAL) != 0 ? record::kNoSeek : 0);
  d.status = ((amode & MPI_MODE_APPEND) != 0 ? record::kAppend : 0) |
             ((amode & MPI_MODE_DELETE_ON_CLOSE) != 0 ? record::kDeleteOnClose : 0);
  return d;
}

}  // namespace

namespace files {

std::uint32_t name_of(const char* name) {
  const std::string path = absolute(name);
  const std::lock_guard lock(state().names_mutex);
  auto& names = state().names.get();
  const auto [known, fresh] = names.try_emplace(path, static_cast<std::uint32_t>(names.size()));
  if (fresh) session::define_file({known->second, path});
  return known->second;
}

FileInfo* add(MPI_File file, MPI_Comm comm, const char* name, int amode) {
  const CommInfo* in = communicators::find(comm);
  FileInfo* info = in == nullptr ? nullptr : state().table.insert(key_of(file));
  if (info == nullptr) return nullptr;
  *info = {state().next_handle.fetch_add(1), name_of(name)};
  info->deletes = (amode & MPI_MODE_DELETE_ON_CLOSE) != 0 && in->rank == 0;
  record::FileHandleDefinition d = described(amode);
  d.id = info->handle;
  d.file = info->file;
  d.comm = in->id;
  d.number = communicators::next_file(comm);
  session::define_file_handle(d);
  return info;
}

FileInfo* find(MPI_File file) { return state().table.find(key_of(file)); }

}  // namespace files

ClosingFile::ClosingFile(MPI_File file) : file_(file) {
  const FileInfo* info = files::find(file);
  if (info == nullptr) return;
  info_ = *info;
  state().table.erase(info);
}

ClosingFile::~ClosingFile() {
  if (!info_) return;
  if (FileInfo* slot = state().table.insert(key_of(file_)); slot != nullptr) *slot = *info_;
}

}  // namespace latecomer::mpi
