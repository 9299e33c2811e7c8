// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: two parts of an archive, or of its records, that are collected: folders a and b.
#include "analyzer/trace/copy/collect.hpp"
#include "tests/fuzz/archive_files.hpp"
#include "tests/fuzz/run_records.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

const Directory& place() {
  static const Directory directory;
  return directory;
}

// Both folders have all files except those of locations; location 0 is in a, the others are in b.
Bytes in_parts(const Files& whole, const std::string& folder) {
  Files parts;
  for (const auto& [name, bytes] : whole) {
    const bool first = name.starts_with(folder + "0."), others = !first && name.starts_with(folder);
    if (!others) parts["a/" + name] = bytes;
    if (!first) parts["b/" + name] = bytes;
  }
  return pack(parts);
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().fill(unpack(input));
  const auto path = place().path();
  const auto collected = trace::collect({path / "a", path / "b"}, path / "whole");
  must(collected.ok() || !collected.problem().what.empty(), "a problem has words");
  must(collected.ok() == std::filesystem::exists(path / "whole"), "of what failed nothing is left");
}

std::vector<Bytes> seeds() {
  return {in_parts(archive_files(Archive::kMessages), "traces/"),
          in_parts(run_records(), "records/")};
}

void mutate(Bytes& input, Random& random) {
  mutate_one(input, random, [](const std::string& name, Bytes& bytes, Random& numbers) {
    if (name.find("records/") != std::string::npos) return mutate_record_file(name, bytes, numbers);
    mutate_archive_file(name, bytes, numbers);
  });
}

}  // namespace latecomer::fuzz
