// SPDX-License-Identifier: BSD-3-Clause
// plain_read ARCHIVE: what any program pays that opens a trace. One thread without MPI reads all
// locations with OTF2's readers, in callbacks that count. Prints the number of events.
#include <cstdio>

#include "tests/bench/counting_reader.hpp"

int main(int argc, char** argv) {
  using namespace latecomer::bench;
  OTF2_Reader* reader = argc > 1 ? open_archive(argv[1]) : nullptr;
  if (reader == nullptr) {
    std::fprintf(stderr, "usage: plain_read EXPERIMENT\n");
    return 2;
  }
  const auto counted = read_events(reader, read_locations(reader));
  OTF2_Reader_Close(reader);
  std::printf("%llu\n", static_cast<unsigned long long>(counted));
  return 0;
}
