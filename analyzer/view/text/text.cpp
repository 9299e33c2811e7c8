// SPDX-License-Identifier: BSD-3-Clause
// Helper functions for text on a terminal.
#include "analyzer/view/text/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace latecomer::view {

std::size_t text_width() {
  constexpr std::size_t kUsual = 100, kLeast = 60, kMost = 200;
  std::size_t columns = 0;
  if (const char* set = std::getenv("COLUMNS")) columns = std::strtoul(set, nullptr, 10);
  winsize terminal{};
  if (columns == 0 && isatty(STDOUT_FILENO) != 0 &&
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0) {
    columns = terminal.ws_col;
  }
  return columns == 0 ? kUsual : std::clamp(columns, kLeast, kMost);
}
namespace {

// In UTF-8 the bytes 10xxxxxx continue a character.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }

}  // namespace

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    widest = std::max(widest, width(line));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return widest;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const auto used = width(text);
  return std::string(text) + std::string(columns > used ? columns - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const auto used = width(text);
  return std::string(columns > used ? columns - used : 0, ' ') + std::string(text);
}

std::string cut(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  const std::string_view dots = "...";
  if (columns <= dots.size()) return std::string(dots.substr(0, columns));
  // The text is cut between two characters, never within one.
  std::size_t left = columns - dots.size(), end = 0;
  while (end < text.size() && (left > 0 || !starts_character(text[end]))) {
    left -= starts_character(text[end]) ? 1 : 0;
    ++end;
  }
  return std::string(text.substr(0, end)) + std::string(dots);
}

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return with_commas(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

int decimals_for(double largest) {
  if (!(std::abs(largest) > 0)) return 3;
  // A number with d digits before the point needs 4 - d decimals.
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(largest)))), 0, 9);
}

std::string fixed(double value, int decimals) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string four_digits(double value) { return fixed(value, decimals_for(value)); }

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string size_text(double bytes) {
  if (bytes < 1e3) return fixed(bytes, 0) + " bytes";
  if (bytes < 1e6) return four_digits(bytes / 1e3) + " kB";
  if (bytes < 1e9) return four_digits(bytes / 1e6) + " MB";
  return four_digits(bytes / 1e9) + " GB";
}

std::string duration_text(double seconds) {
  const double size = std::abs(seconds);
  if (!(size > 0)) return "0 s";
  if (size >= 1) return four_digits(seconds) + " s";
  if (size >= 1e-3) return four_digits(seconds * 1e3) + " ms";
  if (size >= 1e-6) return four_digits(seconds * 1e6) + " us";
  return four_digits(seconds * 1e9) + " ns";
}

std::string percent(double part, double whole, int decimals) {
  return fixed(whole > 0 ? 100 * part / whole : 0, decimals);
}

namespace {

// The next word; a number and its unit are one: "32 %", "0.59 s,".
std::string_view first_word(std::string_view text) {
  const auto end_from = [text](std::size_t at) {
    return std::min(text.find(' ', at), text.size());
  };
  const std::size_t end = end_from(0);
  if (end == 0 || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') {
    return text.substr(0, end);
  }
  const auto next = text.substr(end + 1, end_from(end + 1) - end - 1);
  const auto unit = next.substr(0, next.find_last_not_of(",;:.)") + 1);
  const bool is_unit = unit == "%" || unit == "s" || unit == "ms" || unit == "us";
  return text.substr(0, is_unit ? end + 1 + next.size() : end);
}

}  // namespace

std::string wrapped(std::string_view text, std::string_view indent, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    auto paragraph = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
    std::string line;
    std::string lines;
    while (!paragraph.empty()) {
      const auto word = first_word(paragraph);
      paragraph.remove_prefix(std::min(word.size() + 1, paragraph.size()));
      if (word.empty()) continue;
      if (!line.empty() && width(indent) + width(line) + 1 + width(word) > columns) {
        lines.append(indent).append(line).append("\n");
        line.clear();
      }
      line.append(line.empty() ? "" : " ").append(word);
    }
    if (line.empty()) continue;
    lines.append(indent).append(line).append("\n");
    out.append(out.empty() ? "" : "\n").append(lines);
  }
  return out;
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(alignment_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += alignment_[i] == 'r' ? pad_left(row[i], widths[i]) : pad_right(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace latecomer::view
