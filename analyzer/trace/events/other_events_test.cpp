// SPDX-License-Identifier: BSD-3-Clause
// Locations that are no threads: which process they belong to, and that nothing else sees them.
#include <catch2/catch.hpp>

#include "analyzer/trace/archive_reader.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trace_builder.hpp"

using namespace latecomer;
using namespace latecomer::test;
using trace::LocationKind;

namespace {

// Two ranks; a device of rank 1 with a kernel, and one that no process made.
void write_devices(const std::string& directory) {
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(5)).call(1, "MPI_Probe", at(1), leave(5));
  for (const Place who : {Place(1, 5), Place(1, 6)}) {
    t.enter(who, "kernel", at(2)).leave(who, at(4));
  }
  for (auto& location : t.model().locations) {
    using Device = test::Location::Device;
    if (location.id == Place(1, 5).location()) location.device = Device::kOfProcess;
    if (location.id == Place(1, 6).location()) location.device = Device::kOfNobody;
  }
  t.write(directory);
}

}  // namespace

TEST_CASE("a device belongs to the process that made it, and is no thread of it") {
  const TemporaryDirectory directory;
  write_devices(directory.file("a"));
  auto archive = trace::ArchiveReader::open(directory.file("a"));
  REQUIRE(archive.ok());
  const trace::Definitions& d = archive->definitions();
  CHECK(d.processes.size() == 2);
  CHECK(d.locations.size() == 2);
  CHECK(d.processes[1].locations.size() == 1);
  REQUIRE(d.other_locations.size() == 1);
  CHECK(d.other_locations[0].kind == LocationKind::kDevice);
  CHECK(d.other_locations[0].process == 1);
  CHECK(d.other_locations[0].events == 2);
  CHECK(d.locations[1].kind == LocationKind::kThread);
  archive->select(d.processes[1].locations);
  const trace::OtherEvents read = archive->read_other(0);
  CHECK(read.events == 2);
  CHECK(read.unused == 2);
}
