// SPDX-License-Identifier: BSD-3-Clause
// Maps regular files only; other files may have no end or no bytes.
#include "tracer/convert/file_view.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "archive/plain_file.hpp"

namespace latecomer::convert {

Result<FileView> FileView::open(const std::string& path) {
  const auto failed = [&path](int error) {
    return Problem{"cannot read " + path + ": " + file_error(error), ""};
  };
  const int file = open_plain(path);
  if (file < 0) return failed(errno);
  struct stat status {};
  const int error = fstat(file, &status) != 0 ? errno : 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (error != 0 || size == 0) {
    close(file);
    if (error != 0) return failed(error);
    return FileView(Mapping());
  }
  Mapping mapping = Mapping::of_file(file, 0, size, PROT_READ, MAP_PRIVATE);
  const int map_error = errno;
  close(file);
  if (!mapping) return failed(map_error);
  madvise(mapping.data(), size, MADV_SEQUENTIAL);
  return FileView(std::move(mapping));
}

}  // namespace latecomer::convert
