// SPDX-License-Identifier: BSD-3-Clause
// Lists the page in the experiment's manifest. The manifest is written under another name first, so
// that it is never seen half written.
#include "analyzer/view/text/page_file.hpp"

#include <string>

#include "archive/layout.hpp"
#include "archive/plain_file.hpp"

namespace latecomer::view {
namespace {

namespace fs = std::filesystem;

std::string row_of(const char* file) { return "| `" + std::string(file) + "` |"; }

std::string content(const fs::path& file) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  return plain_content(file, kMostBytes).value_or("");
}

// Replaces a file. The manifest is only a convenience: in a directory that cannot be written the
// old one stays.
void replace(const fs::path& file, const std::string& text) {
  const fs::path part = file.string() + ".part";
  std::error_code error;
  const bool written = write_plain(part, text) == 0;
  if (written) fs::rename(part, file, error);
  if (!written || error) fs::remove(part, error);
}

}  // namespace

void list_page(const fs::path& experiment) {
  const fs::path file = experiment / layout::kManifest;
  std::string text = content(file);
  if (text.find(row_of(layout::kPage)) != std::string::npos) return;
  // The row goes after that of the statistics, or else after that of the report. Without these the
  // manifest has no list that is known.
  auto at = text.find(row_of(layout::kStatistics));
  if (at == std::string::npos) at = text.find(row_of(layout::kReport));
  if (at == std::string::npos || (at = text.find('\n', at)) == std::string::npos) return;
  text.insert(at + 1, row_of(layout::kPage) + " the report as a page for the browser |\n");
  replace(file, text);
}

bool remove_page(const fs::path& experiment) {
  std::error_code error;
  if (!fs::is_regular_file(experiment / layout::kPage, error) ||
      !fs::remove(experiment / layout::kPage, error)) {
    return false;
  }
  const fs::path file = experiment / layout::kManifest;
  std::string text = content(file);
  const auto at = text.find(row_of(layout::kPage));
  if (at == std::string::npos) return true;
  text.erase(at, text.find('\n', at) + 1 - at);
  replace(file, text);
  return true;
}

}  // namespace latecomer::view
