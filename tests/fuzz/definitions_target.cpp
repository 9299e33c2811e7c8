// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the definitions of an archive, of all and of one location: traces.def and
// traces/0.def.
#include "analyzer/inspect/read_archive_info.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/definitions/clock_measurements.hpp"
#include "tests/fuzz/archive_files.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

constexpr const char* kChanged[] = {"traces.def", "traces/0.def"};

const Files& good(Archive which) {
  static const Files messages = archive_files(Archive::kMessages),
                     records = archive_files(Archive::kAllRecords);
  return which == Archive::kMessages ? messages : records;
}

const Directory& place() {
  static const Directory directory;
  return directory;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  Files files = good(Archive::kMessages);
  for (const auto& [name, bytes] : unpack(input)) files[name] = bytes;
  place().fill(files);
  const auto info = cli::read_archive_info(place().path());
  must(info.ok() || !info.problem().what.empty(), "a problem has words");
  auto archive = trace::ArchiveReader::open(place().path());
  must(archive.ok() == info.ok(), "what can be told of can be read");
  if (!archive) return;
  const auto& definitions = archive->definitions();
  std::vector<std::uint32_t> all(definitions.locations.size());
  for (std::uint32_t l = 0; l < all.size(); ++l) all[l] = l;
  archive->select(all);
  for (const auto l : all) static_cast<void>(archive->clock_offsets(l));
  static_cast<void>(trace::measurements_of(definitions));
  static_cast<void>(archive->event_files());
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const Archive which : {Archive::kMessages, Archive::kAllRecords}) {
    Files files;
    for (const auto* name : kChanged) files[name] = good(which).at(name);
    all.push_back(pack(files));
  }
  return all;
}

void mutate(Bytes& input, Random& random) { mutate_one(input, random, mutate_archive_file); }

}  // namespace latecomer::fuzz
