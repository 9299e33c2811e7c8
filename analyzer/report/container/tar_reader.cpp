// SPDX-License-Identifier: BSD-3-Clause
// Reads the headers of a tar archive. It is lenient where real writers differ: checksums are not
// verified, and zero blocks between members are skipped. CUBE's writers add such a block to a
// member that fills its last block.
#include "analyzer/report/container/tar_reader.hpp"

#include "analyzer/report/container/tar_layout.hpp"
#include "archive/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace latecomer::report {
namespace {

// Number of zero blocks that end the archive. Real writers pad to 10 KiB or less; the rest of a
// file without an end would be read for hours.
constexpr std::uint64_t kZeroBlocksAtEnd = 2048;
using Header = std::array<char, kTarBlock>;

std::string_view field(const Header& header, std::size_t offset, std::size_t length) {
  const std::string_view text(header.data() + offset, length);
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The size in a pax record "NN size=<decimal>\n"; nothing if there is none.
std::optional<std::uint64_t> pax_size(std::string_view record) {
  const auto key = record.find(" size=");
  if (key == std::string_view::npos) return std::nullopt;
  record.remove_prefix(key + 6);
  return number(record.substr(0, record.find('\n')), 10);
}

}  // namespace

Problem damaged(const std::string& file, const std::string& what) {
  return {file + ": damaged report: " + what,
          "write it again with latecomer-analyzer EXPERIMENT, or copy it again"};
}

TarReader::TarReader(TarReader&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      members_(std::move(other.members_)) {}

TarReader& TarReader::operator=(TarReader&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(members_, other.members_);
  return *this;
}

TarReader::~TarReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool TarReader::read_at(std::uint64_t offset, void* to, std::uint64_t bytes) const {
  auto* position = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor_, position, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    position += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

Result<TarReader> TarReader::open(const std::filesystem::path& file) {
  TarReader reader;
  reader.file_ = file.string();
  reader.descriptor_ = open_plain(reader.file_);
  struct stat status {};
  if (reader.descriptor_ < 0 || fstat(reader.descriptor_, &status) != 0) {
    return Problem{"cannot read " + reader.file_ + ": " + file_error(errno),
                   "give an experiment directory or a report (*.cubex)"};
  }
  if (auto walked = reader.walk(static_cast<std::uint64_t>(status.st_size)); !walked) {
    return walked.problem();
  }
  return reader;
}

Status TarReader::walk(std::uint64_t file_size) {
  Header header;
  std::optional<std::uint64_t> announced;  // size from a pax header, for the next member
  std::uint64_t zero_blocks = 0;
  for (std::uint64_t position = 0; position + kTarBlock <= file_size;) {
    if (!read_at(position, header.data(), kTarBlock)) return damaged(file_, "cannot be read");
    if (position > 0 && std::all_of(header.begin(), header.end(), [](char c) { return c == 0; })) {
      if (++zero_blocks == kZeroBlocksAtEnd) break;
      position += kTarBlock;
      continue;
    }
    zero_blocks = 0;
    if (field(header, 257, 5) != "ustar") {
      if (position > 0) {
        return damaged(file_, "no tar header at byte " + std::to_string(position));
      }
      break;
    }
    // The header has the size in octal digits, unless a pax header has announced it.
    auto size = number(field(header, 124, 12), 8);
    const bool pax = header[156] == 'x';
    if (!pax && announced) size = std::exchange(announced, std::nullopt);
    const std::uint64_t start = position + kTarBlock;
    if (!size || *size > file_size - start) {
      return damaged(file_, "the file ends inside " + std::string(field(header, 0, 100)));
    }
    if (pax) {
      std::string record(std::min(*size, kTarBlock), '\0');
      if (!read_at(start, record.data(), record.size())) return damaged(file_, "cannot be read");
      announced = pax_size(record);
    } else if (header[156] == '0' || header[156] == '\0') {
      // The first of several members with one name counts.
      members_.try_emplace(std::string(field(header, 0, 100)), Member{start, *size});
    }
    position = start + (*size + kTarBlock - 1) / kTarBlock * kTarBlock;
  }
  if (members_.empty()) {
    return Problem{file_ + " is not a CUBE 4 report",
                   "give an experiment directory or a report (*.cubex); "
                   "cube3to4 converts reports of CUBE 3"};
  }
  return success();
}

std::uint64_t TarReader::size(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? 0 : found->second.size;
}

Result<MemberBytes> TarReader::read(const std::string& name, std::uint64_t most) const {
  const auto found = members_.find(name);
  if (found == members_.end()) return damaged(file_, name + " is missing");
  MemberBytes bytes(std::min(found->second.size, most));
  if (!read_at(found->second.offset, bytes.data(), bytes.size())) {
    return damaged(file_, name + " cannot be read");
  }
  return bytes;
}

}  // namespace latecomer::report
