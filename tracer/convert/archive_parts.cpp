// SPDX-License-Identifier: BSD-3-Clause
// Copies files byte by byte: parts of one archive recognize each other by equal bytes.
#include "tracer/convert/archive_parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "archive/first_umask.hpp"
#include "archive/layout.hpp"
#include "archive/otf2/errors.hpp"
#include "archive/plain_file.hpp"
#include "tracer/convert/definitions/guarded.hpp"
#include "tracer/convert/file_view.hpp"
#include "tracer/exchange/mpi_group.hpp"

namespace latecomer::convert {
namespace {

Problem cannot_write(const std::string& path, int error) {
  return {"cannot write " + path + ": " + std::strerror(error), ""};
}

Status write_file(const std::string& path, std::string_view bytes) {
  const int error = write_plain(path, bytes);
  return error == 0 ? success() : Status(cannot_write(path, error));
}

}  // namespace

Status make_archive_folder(const std::string& directory) {
  const std::string path = directory + '/' + layout::kArchiveName;
  std::error_code error;
  if (make_directory(path, error)) return success();
  return cannot_write(path, error ? error.value() : EEXIST);
}

Status copy_definitions(MPI_Comm makers, const std::string& directory, bool written) {
  const std::array<std::string, 3> files = {std::string(layout::kArchiveName) + ".def",
                                            layout::kManifest, layout::kAnchor};
  exchange::MpiGroup group(makers);
  const otf2::Errors limits_are_no_signals;
  Status status = success();
  for (const std::string& name : files) {
    const std::string path = directory + '/' + name;
    std::string bytes;
    if (group.rank() == 0 && written) {
      guarded(status, [&] {
        const Result<FileView> file = FileView::open(path);
        if (file) bytes = file->text();
        if (!file) status = file.problem();
      });
    }
    bytes = group.broadcast_text(std::move(bytes));  // empty: there is none
    if (group.rank() != 0 && !bytes.empty() && status) status = write_file(path, bytes);
  }
  return status;
}

}  // namespace latecomer::convert
