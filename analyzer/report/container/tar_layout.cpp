// SPDX-License-Identifier: BSD-3-Clause
// Makes ustar headers with constant owner and time, so that equal reports are equal files.
#include "analyzer/report/container/tar_layout.hpp"

#include <cassert>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>

namespace latecomer::report {
namespace {

constexpr std::uint64_t kLargestOctal = 0x1fffffffe;  // larger sizes need a pax header

std::uint64_t padded(std::uint64_t size) { return (size + kTarBlock - 1) / kTarBlock * kTarBlock; }

std::string header(const std::string& name, std::uint64_t size, char type) {
  assert(name.size() < 100);
  std::string block(kTarBlock, '\0');
  const auto put = [&](std::size_t offset, std::string_view text) {
    block.replace(offset, text.size(), text);
  };
  const auto octal = [&](std::size_t offset, int digits, std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
    put(offset, text);
  };
  put(0, name);
  octal(100, 7, 0644);   // mode
  octal(108, 7, 0);      // owner
  octal(116, 7, 0);      // group
  octal(124, 11, size);  // size
  octal(136, 11, 0);     // time of modification
  put(148, "        ");  // checksum, counted as blanks
  block[156] = type;
  put(257, std::string_view("ustar\00000", 8));
  put(265, "nouser");
  put(297, "users");
  const auto sum =
      std::accumulate(block.begin(), block.end(), std::uint64_t{0},
                      [](std::uint64_t s, char c) { return s + static_cast<unsigned char>(c); });
  octal(148, 6, sum);
  block[154] = '\0';
  return block;
}

}  // namespace

std::uint64_t TarLayout::add(const std::string& name, std::uint64_t size) {
  assert(size % kTarBlock != 0);
  if (size > kLargestOctal) {
    // The record is "NN size=<decimal>\n". NN counts the whole record and has two digits for every
    // 64-bit size.
    const std::string field = " size=" + std::to_string(size) + "\n";
    const std::string record = std::to_string(field.size() + 2) + field;
    std::string pax = header("PaxHeader/" + name, record.size(), 'x') + record;
    pax.resize(2 * kTarBlock);
    pieces_.push_back({end_, std::move(pax)});
    end_ += 2 * kTarBlock;
  }
  pieces_.push_back({end_, header(name, size > kLargestOctal ? 0 : size, '0')});
  const std::uint64_t start = end_ + kTarBlock;
  end_ = start + padded(size);
  return start;
}

std::uint64_t TarLayout::add(const std::string& name, std::string content) {
  const std::uint64_t start = add(name, std::uint64_t{content.size()});
  pieces_.push_back({start, std::move(content)});
  return start;
}

std::string never_full_blocks(std::string content, char filler) {
  if (content.size() % kTarBlock == 0) content += filler;
  return content;
}

}  // namespace latecomer::report
