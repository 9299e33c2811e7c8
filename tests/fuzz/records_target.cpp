// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the records of a run that did not reach its archive. `latecomer repair` makes an
// archive of any records, and it can be read.
#include "analyzer/trace/archive_reader.hpp"
#include "tests/fuzz/run_records.hpp"
#include "tests/fuzz/target.hpp"
#include "tracer/convert/repair.hpp"

namespace latecomer::fuzz {
namespace {

const Directory& place() {
  static const Directory directory;
  return directory;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().fill(unpack(input));
  const auto repaired = convert::repair(place().path().string());
  must(repaired.ok() || !repaired.problem().what.empty(), "a problem has words");
  if (!repaired || repaired->already_complete) return;
  auto archive = trace::ArchiveReader::open(place().path());
  must(archive.ok(), "the archive can be opened");
  std::vector<std::uint32_t> all(archive->definitions().locations.size());
  for (std::uint32_t l = 0; l < all.size(); ++l) all[l] = l;
  archive->select(all);
  std::uint64_t events = 0;
  for (const auto l : all) {
    trace::CallTree tree(archive->definitions().program_region);
    const auto read = archive->read(l, tree, [](std::uint64_t) {});
    must(read.complete, "a location's events are complete");
    events += read.events;
  }
  const auto others = archive->definitions().other_locations.size();
  for (std::uint32_t l = 0; l < others; ++l) events += archive->read_other(l).events;
  must(events == repaired->events, "all events that were written are read");
}

std::vector<Bytes> seeds() { return {pack(run_records())}; }

void mutate(Bytes& input, Random& random) { mutate_one(input, random, mutate_record_file); }

}  // namespace latecomer::fuzz
