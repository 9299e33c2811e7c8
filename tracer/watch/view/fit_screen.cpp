// SPDX-License-Identifier: BSD-3-Clause
// Shares rows among the blocks, one by one.
#include "tracer/watch/view/fit_screen.hpp"

#include <algorithm>
#include <numeric>

#include "archive/printable.hpp"

namespace latecomer::watch {
namespace {

constexpr std::string_view kDots = "...";

// Bytes of UTF-8 that continue a character.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::size_t width(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return !continues(c); }));
}

std::string more_text(std::size_t count) { return "... " + std::to_string(count) + " more"; }

// Number of rows for the lines of each block.
std::vector<std::size_t> share_rows(const std::vector<Block>& blocks, std::size_t rows) {
  std::vector<std::size_t> given(blocks.size());
  for (bool any = true; any && rows > 0;) {
    any = false;
    for (std::size_t i = 0; i < blocks.size() && rows > 0; ++i) {
      const Block& block = blocks[i];
      const std::size_t most = block.most == 0 ? block.lines.size() : block.most;
      if (given[i] >= std::min(most, block.lines.size())) continue;
      ++given[i];
      --rows;
      any = true;
    }
  }
  return given;
}

void add_lines(std::vector<std::string>& all, const Block& block, std::size_t rows) {
  const std::size_t count = block.lines.size();
  if (rows >= count) {
    all.insert(all.end(), block.lines.begin(), block.lines.end());
    return;
  }
  if (rows == 0) return;
  std::vector<std::size_t> shown = block.importance;
  if (shown.size() != count) {
    shown.resize(count);
    std::iota(shown.begin(), shown.end(), 0);
  }
  shown.resize(rows - 1);
  std::ranges::sort(shown);
  for (const std::size_t i : shown) all.push_back(block.lines[i]);
  all.push_back(more_text(count - shown.size()));
}

}  // namespace

std::string fit(const std::vector<Block>& blocks, const Screen& screen) {
  std::size_t heads = 0;
  for (const Block& block : blocks) heads += block.head.size();
  const std::size_t room = screen.rows > heads ? screen.rows - heads : 0;
  const auto given = share_rows(blocks, room);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    all.insert(all.end(), blocks[i].head.begin(), blocks[i].head.end());
    add_lines(all, blocks[i], screen.rows == 0 ? blocks[i].lines.size() : given[i]);
  }
  // The terminal has not even rows for the heads, or none for one of the blocks.
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (screen.rows != 0 && given[i] == 0) left_out += blocks[i].lines.size();
  }
  if (screen.rows != 0 && (all.size() > screen.rows || left_out != 0)) {
    const std::size_t kept = std::min(all.size(), screen.rows - 1);
    left_out += all.size() - kept;
    all.resize(kept);
    all.push_back(more_text(left_out));
  }
  std::string text;
  for (const std::string& line : all) text += cut_line(printable(line), screen.columns) + '\n';
  return text;
}

std::string cut_line(std::string_view line, std::size_t columns) {
  if (columns == 0 || width(line) <= columns) return std::string(line);
  const std::size_t kept = columns > kDots.size() ? columns - kDots.size() : columns;
  std::size_t end = 0;
  for (std::size_t count = 0; end < line.size(); ++end) {
    if (!continues(line[end]) && count++ == kept) break;
  }
  return std::string(line.substr(0, end)) + (kept < columns ? std::string(kDots) : "");
}

std::string cut_path(std::string_view path, std::size_t columns) {
  static constexpr std::string_view kNext = " > ";
  if (columns == 0 || width(path) <= columns) return std::string(path);
  std::string_view rest = path;
  for (auto at = rest.find(kNext); at != rest.npos; at = rest.find(kNext)) {
    rest.remove_prefix(at + kNext.size());
    if (kDots.size() + kNext.size() + width(rest) <= columns) break;
  }
  std::string text(rest.size() < path.size() ? kDots : std::string_view());
  if (!text.empty()) text += kNext;
  return cut_line(text + std::string(rest), columns);
}

std::string join(const std::vector<std::string>& parts, std::size_t columns) {
  static constexpr const char* kNext = "; ";
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : kNext) + part;
  if (columns == 0 || width(all) <= columns) return all;
  std::string text;
  std::size_t left = parts.size();
  for (const std::string& part : parts) {
    const std::string longer = text + part + kNext;
    if (width(longer + more_text(left - 1)) > columns) break;
    text = longer;
    --left;
  }
  return text + more_text(left);
}

}  // namespace latecomer::watch
