// SPDX-License-Identifier: BSD-3-Clause
// Adds up the uses of each file.
#include "analyzer/view/words/file_text.hpp"

#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr double kOpeningMatters = 0.05;  // part of the time

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string moved(std::int64_t bytes, double seconds) {
  return size_text(static_cast<double>(bytes)) + " in " + duration_text(seconds);
}

}  // namespace

std::string file_text(std::span<const report::FileUse> uses, std::size_t others) {
  report::FileUse all;
  for (const report::FileUse& use : uses) {
    all.bytes_read += use.bytes_read;
    all.bytes_written += use.bytes_written;
    all.reading += use.reading;
    all.writing += use.writing;
    all.storing += use.storing;
    all.opening += use.opening;
  }
  if (!(all.seconds() > 0)) return "";
  const bool reads = all.reading > 0, writes = all.writing > 0, stores = all.storing > 0;
  std::string text = reads && writes ? "it reads and writes "
                     : reads         ? "it reads "
                     : writes        ? "it writes "
                     : stores        ? "it stores "
                                     : "it opens and closes ";
  text += base_name(uses.front().file) + ": ";
  if (reads) text += moved(all.bytes_read, all.reading) + (writes ? " read, " : "");
  if (writes) text += moved(all.bytes_written, all.writing) + (reads ? " written" : "");
  if (stores) text += (reads || writes ? ", fsync " : "fsync ") + duration_text(all.storing);
  if (all.opening > kOpeningMatters * all.seconds()) {
    text += (reads || writes || stores ? ", open and close " : "") + duration_text(all.opening);
  }
  if (others == 1) text += "; and another file";
  if (others > 1) text += "; and " + std::to_string(others) + " other files";
  return text;
}

}  // namespace latecomer::view
