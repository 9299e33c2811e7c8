// SPDX-License-Identifier: BSD-3-Clause
// A whole archive as texts, read with OTF2's own reader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace latecomer::test {

struct ReadLocation {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t group = 0;
  int type = 0;  // OTF2_LocationType
  std::uint64_t stated_events = 0;
  // "5 Enter f", "7 MpiSend 1 MPI_COMM_WORLD tag 3 bytes 8": corrected time, kind, arguments.
  std::vector<std::string> events;
};

// Definitions are lines "id: ..." in the order of the file.
struct ReadArchive {
  bool opened = false;
  std::map<std::string, std::string> properties;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t wall = 0;
  std::vector<std::string> regions;    // name|canonical|role|paradigm|file|first-last
  std::vector<std::string> groups;     // kind: members
  std::vector<std::string> comms;      // name|group|parent|flags, or name|group A, group B|common
  std::vector<std::string> nodes;      // class name|parent|metahost
  std::vector<std::string> processes;  // name|node; of a device: name|node|its process
  std::vector<std::string> process_properties;  // rank name value
  std::size_t contexts = 0;                     // number of calling contexts
  std::vector<ReadLocation> locations;
  std::vector<std::string> errors;  // complaints of OTF2

  [[nodiscard]] const ReadLocation& location(std::uint64_t id) const;
};

[[nodiscard]] ReadArchive read_archive(const std::string& directory);

}  // namespace latecomer::test
