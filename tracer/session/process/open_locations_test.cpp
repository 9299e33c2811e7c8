// SPDX-License-Identifier: BSD-3-Clause
// Locations that are no threads, in a process that has not called MPI_Init.
#include "tracer/session/process/open_locations.hpp"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/reader.hpp"

using namespace latecomer;
using namespace latecomer::session;
using record::Record;
using record::RecordReader;
using test::read_file;
using test::TemporaryDirectory;

TEST_CASE("a location that is no thread has a writer that any thread uses") {
  const TemporaryDirectory directory;
  Location* location = nullptr;
  std::thread([&] {
    REQUIRE(writer() != nullptr);
    location = open_location(record::LocationKind::kDevice, "stream 7", "GPU 0");
    CHECK(open_location(record::LocationKind::kDevice, "stream 7", "GPU 0") == location);
    CHECK(open_location(record::LocationKind::kDevice, "stream 7", "GPU 1") != location);
  }).join();
  REQUIRE(location != nullptr);
  const auto enter = [](ThreadWriter& w) { w.enter(kFirstDefinedRegion, now()); };
  const auto leave = [](ThreadWriter& w) { w.leave(kFirstDefinedRegion, now()); };
  record_at(*location, enter);
  std::thread([&] { record_at(*location, leave); }).join();
  recording(false);
  record_at(*location, enter);
  recording(true);
  REQUIRE(location->writer.save_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader.ok());
  CHECK(reader->header().kind == record::LocationKind::kDevice);
  std::vector<Record> all;
  for (Record r; reader->next(r);) all.push_back(r);
  CHECK(all.size() == 2);
  CHECK(location->other->definition.name == "stream 7");
}
