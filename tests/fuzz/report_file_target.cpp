// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: CUBE reports as the bytes of their tar file, with the headers of members and their
// sizes.
#include <fstream>
#include <iterator>

#include "tests/fuzz/report_files.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

constexpr std::size_t kBlock = 512;                               // of a tar file
constexpr std::size_t kSize = 124, kChecksum = 148, kType = 156;  // fields of a header

const Directory& place() {
  static const Directory directory;
  return directory;
}

// The checksum is the sum of all bytes, with blanks instead of the checksum itself.
void correct_checksum(std::uint8_t* header) {
  std::fill_n(header + kChecksum, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += header[i];
  for (std::size_t i = 6; i-- > 0; sum /= 8)
    header[kChecksum + i] = static_cast<std::uint8_t>('0' + sum % 8);
  header[kChecksum + 6] = 0;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().fill({{"report.cubex", {input.begin(), input.end()}}});
  use_report(place().path() / "report.cubex");
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  const Directory directory;
  for (const Files& members : report_members()) {
    write_report(directory.path() / "report.cubex", members);
    all.push_back(files_in(directory.path()).at("report.cubex"));
  }
  return all;
}

void mutate(Bytes& input, Random& random) {
  if (input.size() < kBlock) return mutate_bytes(input, random);
  // A random block, which is usually a header.
  std::uint8_t* const header = input.data() + random.below(input.size() / kBlock) * kBlock;
  switch (random.below(4)) {
    case 0:
      for (std::size_t i = random.below(12); i < 11; ++i)
        header[kSize + i] = static_cast<std::uint8_t>('0' + random.below(9));
      break;
    case 1:
      header[kType] = random.one_of(std::string_view("0125xgLK\0"));
      break;
    case 2:
      header[random.below(100)] = static_cast<std::uint8_t>(random.number());
      break;
    default:
      return mutate_bytes(input, random);
  }
  if (!random.one_in(4)) correct_checksum(header);
}

}  // namespace latecomer::fuzz
