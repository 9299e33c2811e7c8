// SPDX-License-Identifier: BSD-3-Clause
// Locations that are no threads: their OTF2 types and groups, and what is known of killed
// processes.
#include <otf2/otf2.h>

#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;
using record::LocationKind;

namespace {

constexpr std::uint64_t location(std::uint64_t rank, std::uint64_t number) {
  return number << 32 | rank;
}

void define_kernel(Experiment& e, std::uint32_t rank) {
  e.add(rank, record::RegionDefinition{4096, "user", "function", "kernel", "", "k.c", 1, 2});
}

}  // namespace

TEST_CASE("devices have groups of their own, other locations are in their process") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    e.thread(rank).enter(mpi("MPI_Init"), 1);
    define_kernel(e, rank);
  }
  auto& stream = e.location(1, 1, LocationKind::kDevice, "stream 7", "GPU 0");
  stream.enter(4096, 5);
  stream.leave(4096, 9);
  e.location(1, 2, LocationKind::kDevice, "stream 8", "GPU 0").enter(4096, 6);
  e.location(1, 3, LocationKind::kDevice, "queue");
  e.location(0, 1, LocationKind::kMonitor, "power");
  e.location(0, 2, LocationKind::kSamples, "samples");
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.processes ==
        Lines{"0: MPI Rank 0|1", "1: MPI Rank 1|1", "2: GPU 0|1|1", "3: queue|1|1"});

  const auto is = [&](std::uint64_t id, const char* name, std::uint64_t group, int type) {
    const ReadLocation& d = c.archive.location(id);
    return d.name == name && d.group == group && d.type == type;
  };
  CHECK(is(location(1, 0), "Master thread", 1, OTF2_LOCATION_TYPE_CPU_THREAD));
  CHECK(is(location(1, 1), "stream 7", 2, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM));
  CHECK(is(location(1, 2), "stream 8", 2, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM));
  CHECK(is(location(1, 3), "queue", 3, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM));
  CHECK(is(location(0, 1), "power", 0, OTF2_LOCATION_TYPE_METRIC));
  CHECK(is(location(0, 2), "samples", 0, OTF2_LOCATION_TYPE_METRIC));
  CHECK(c.archive.location(location(1, 1)).events == Lines{"5 Enter kernel", "9 Leave kernel"});
  // They are no threads, so the events of threads are complete.
  CHECK(c.archive.properties.at("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE") == "true");
  CHECK(c.archive.groups.front() == "0: locations 0 1");
}

TEST_CASE("a file says what its location is, even if the log does not") {
  Experiment e(1);
  e.thread(0).enter(mpi("MPI_Init"), 1);
  e.location(0, 3, LocationKind::kDevice).leave(4096, 5);
  e.location(0, 4, static_cast<LocationKind>(77));  // of a later release
  // The log names a location, but its file is a thread's.
  e.thread(0, 5).enter(mpi("MPI_Barrier"), 7);
  e.add(0, record::LocationDefinition{5, LocationKind::kDevice, "no device", ""});
  // The log names a location that has no file.
  e.add(0, record::LocationDefinition{6, LocationKind::kDevice, "lost", ""});
  e.stop();
  const Converted c = converted(e);
  CHECK(c.archive.location(location(0, 3)).name == "Location 3");
  CHECK(c.archive.location(location(0, 3)).type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
  CHECK(c.archive.location(location(0, 4)).type == OTF2_LOCATION_TYPE_METRIC);
  CHECK(c.archive.location(location(0, 5)).name == "Thread 5");
  CHECK(c.archive.location(location(0, 5)).type == OTF2_LOCATION_TYPE_CPU_THREAD);
  CHECK(c.archive.locations.size() == 4);
}
