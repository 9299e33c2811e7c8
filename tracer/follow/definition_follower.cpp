// SPDX-License-Identifier: BSD-3-Clause
// Reads whole lines up to the first zero byte.
#include "tracer/follow/definition_follower.hpp"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>

#include "archive/plain_file.hpp"

namespace latecomer::follow {

Result<DefinitionFollower> DefinitionFollower::open(const std::string& path) {
  ReadFile file(path);
  if (!file.ok()) return Problem{"cannot read " + path + ": " + file_error(errno), ""};
  return DefinitionFollower(std::move(file));
}

// The process stores the bytes of a line in any order. Lines have no zero bytes, so a line is whole
// if it has a newline and no zero byte before it.
DefinitionFollower::Batch DefinitionFollower::poll(std::size_t most) {
  Batch batch;
  if (broken_) return batch;
  most = std::max<std::size_t>(most, 1);
  // Mostly there is little or nothing new.
  for (std::size_t bytes = std::min(most, kFirst);; bytes = std::max(most, bytes * 2)) {
    std::string text(bytes, '\0');
    text.resize(file_.read(std::as_writable_bytes(std::span(text)), offset_));
    const bool more = text.size() == bytes;
    const std::string_view known = std::string_view(text).substr(0, text.find('\0'));
    const bool cut = more && known.size() == text.size();  // in the middle of what is there
    if (cut && bytes < most) continue;
    const auto last = known.rfind('\n');
    if (last == std::string_view::npos) {
      if (!cut) return batch;
      if (bytes >= kLongestLine) {
        broken_ = true;
        return batch;
      }
      continue;
    }
    const std::string_view lines = known.substr(0, last + 1);
    batch.definitions = record::parse_definitions(lines);
    batch.lines = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
    batch.more = cut;
    offset_ += lines.size();
    return batch;
  }
}

}  // namespace latecomer::follow
