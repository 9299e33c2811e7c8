// SPDX-License-Identifier: BSD-3-Clause
// The content of an archive as `latecomer info` shows it, in plain data that analyzer/trace fills
// in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace latecomer::view {

// Summary of a trace archive. Times are in seconds.
struct ArchiveInfo {
  std::string path;     // anchor file, as opened
  std::string creator;  // program that wrote it
  std::string program;  // empty: unknown
  std::uint64_t ticks_per_second = 0;
  double duration = 0;  // in seconds, as the archive announces; 0: unknown
  // Number of directories over which the archive is distributed. If there are several, this one has
  // the events of only some processes.
  std::uint64_t parts = 1;

  struct Metahost {
    std::string name;
    std::uint64_t nodes = 0, processes = 0;
    std::uint64_t here = 0;  // processes whose events are in this directory
  };
  std::vector<Metahost> metahosts;

  struct Location {
    std::uint64_t id = 0;  // its files are traces/<id>.evt etc.
    std::string name;      // name of the thread
    std::uint32_t thread = 0;
    std::uint64_t events = 0;                  // number that the archive announces
    bool has_events = true;                    // false: the event file is missing
    bool is_cut = false;                       // the event file is incomplete
    std::uint64_t events_there = 0;            // in the file; as announced if the file is elsewhere
    std::uint64_t clock_offsets = 0;           // measurements; 0: not synchronized
    double first_offset = 0, last_offset = 0;  // in seconds, to be added to local times
    std::string cores;                         // that a thread could use; empty: not known
  };
  struct Process {
    std::uint32_t rank = 0;
    std::string name, node, metahost;
    std::vector<Location> locations;
    bool here = true;  // false: its events are in another part
  };
  std::vector<Process> processes;  // in rank order

  // Number of regions by paradigm (words of CUBE), largest first.
  std::vector<std::pair<std::string, std::uint64_t>> regions;

  struct Communicator {
    std::string name;  // empty: unnamed
    std::uint64_t size = 0;
    bool inter = false;
  };
  std::vector<Communicator> communicators;

  // Properties of the archive, by name.
  std::vector<std::pair<std::string, std::string>> properties;
  // Relative to the experiment directory; without files of other parts.
  std::vector<std::string> missing_files;
  std::vector<std::string> cut_files;  // files that are incomplete
};

}  // namespace latecomer::view
