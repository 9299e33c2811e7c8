// SPDX-License-Identifier: BSD-3-Clause
// What `latecomer info` tells about an archive, as plain data: filled by analyzer/trace.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace latecomer::view {

struct ArchiveInfo {
  std::string path;     // anchor file, as opened
  std::string creator;  // who wrote it
  std::string program;  // empty: unknown
  std::uint64_t ticks_per_second = 0;
  double duration = 0;  // seconds, as the archive announces; 0: unknown
  // Directories over which the archive is spread; this one has the events of some processes only.
  std::uint64_t parts = 1;

  struct Metahost {
    std::string name;
    std::uint64_t nodes = 0, processes = 0;
    std::uint64_t here = 0;  // processes whose events are in this directory
  };
  std::vector<Metahost> metahosts;

  struct Location {
    std::uint64_t id = 0;  // names its files: traces/<id>.evt
    std::string name;      // thread
    std::uint32_t thread = 0;
    std::uint64_t events = 0;                  // as the archive announces
    bool has_events = true;                    // its event file is there
    bool is_cut = false;                       // but not to its end
    std::uint64_t events_there = 0;            // in the file; elsewhere as announced
    std::uint64_t clock_offsets = 0;           // measurements; 0: not synchronized
    double first_offset = 0, last_offset = 0;  // seconds, added to local times
  };
  struct Process {
    std::uint32_t rank = 0;
    std::string name, node, metahost;
    std::vector<Location> locations;
    bool here = true;  // not in another part
  };
  std::vector<Process> processes;  // in rank order

  // How many regions there are of each paradigm (words of CUBE), most first.
  std::vector<std::pair<std::string, std::uint64_t>> regions;

  struct Communicator {
    std::string name;  // empty: unnamed
    std::uint64_t size = 0;
    bool inter = false;
  };
  std::vector<Communicator> communicators;

  std::vector<std::pair<std::string, std::string>> properties;  // of the archive
  // Relative to the experiment directory; not those of other parts.
  std::vector<std::string> missing_files;
  std::vector<std::string> cut_files;  // that do not have their end
};

}  // namespace latecomer::view
