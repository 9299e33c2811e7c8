// SPDX-License-Identifier: BSD-3-Clause
// bare_read ARCHIVE: measures the cost of reading alone. Each process has local OTF2 readers for
// its share of the locations, applies clock offsets, counts, and does nothing else. Prints the
// number of events.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "tests/bench/counting_reader.hpp"

namespace {

using namespace latecomer::bench;

// The locations of this process. All shares are contiguous and have about the same number of
// events.
std::vector<Location> own_share(const std::vector<Location>& all, int rank, int size) {
  std::uint64_t total = 0, before = 0;
  for (const auto& l : all) total += l.events;
  std::vector<Location> mine;
  for (const auto& l : all) {
    const std::uint64_t middle = before + l.events / 2;
    const auto owner = total == 0 ? 0 : middle * static_cast<std::uint64_t>(size) / total;
    if (static_cast<int>(owner) == rank) mine.push_back(l);
    before += l.events;
  }
  return mine;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  OTF2_Reader* reader = argc > 1 ? open_archive(argv[1]) : nullptr;
  if (reader == nullptr) {
    if (rank == 0) std::fprintf(stderr, "usage: bare_read EXPERIMENT\n");
    MPI_Finalize();
    return 2;
  }
  const auto mine = own_share(read_locations(reader), rank, size);
  std::uint64_t counted = mine.empty() ? 0 : read_events(reader, mine), total = 0;
  OTF2_Reader_Close(reader);
  MPI_Reduce(&counted, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%llu\n", static_cast<unsigned long long>(total));
  MPI_Finalize();
  return 0;
}
