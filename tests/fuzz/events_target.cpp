// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the events of a location, with intact definitions.
#include "analyzer/trace/archive_reader.hpp"
#include "tests/fuzz/archive_files.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

constexpr const char* kEvents = "traces/0.evt";

const Directory& place() {
  static const Directory directory;
  static const bool filled = (directory.fill(archive_files(Archive::kAllRecords)), true);
  static_cast<void>(filled);
  return directory;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().put(kEvents, input);
  auto archive = trace::ArchiveReader::open(place().path());
  must(archive.ok(), "the archive can be opened");
  // One location depends on what another one records of threads.
  const std::vector<std::uint32_t> all = {0, 1};
  archive->select(all);
  trace::CallTree tree(archive->definitions().program_region);
  for (const auto location : all) {
    const auto events = archive->read(location, tree, [](std::uint64_t) {});
    if (location != 0) continue;
    must(events.opened == !input.empty(), "the file is there");
    must(events.events <= input.size(), "an event takes a byte at least");
  }
}

std::vector<Bytes> seeds() {
  return {archive_files(Archive::kAllRecords).at(kEvents),
          archive_files(Archive::kMessages).at(kEvents)};
}

void mutate(Bytes& input, Random& random) { mutate_records(input, random, true); }

}  // namespace latecomer::fuzz
