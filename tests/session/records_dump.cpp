// SPDX-License-Identifier: BSD-3-Clause
// Prints the contents of the records of an experiment directory, one line per file, for tests.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/reader.hpp"

using namespace latecomer;

namespace {

void dump_records(const std::string& name, const std::vector<std::byte>& bytes) {
  auto reader = record::RecordReader::over(bytes);
  if (!reader) {
    std::printf("%s problem: %s\n", name.c_str(), reader.problem().what.c_str());
    return;
  }
  std::uint64_t records = 0, first = 0, last = 0;
  for (record::Record r; reader->next(r); ++records) {
    if (r.kind == record::Kind::kFlush) --records;  // not an event of the program
    if (records == 0) first = r.ticks;
    last = r.ticks;
  }
  std::printf("%s rank=%u thread=%u records=%lu damages=%zu lost=%lu ticks=%lu..%lu\n",
              name.c_str(), reader->header().rank, reader->header().thread, records,
              reader->damages().size(), reader->header().lost_records, first, last);
}

void dump_definitions(const std::string& name, const std::vector<std::byte>& bytes) {
  const auto d =
      record::parse_definitions({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::printf(
      "%s rank=%u size=%u node=%s metahost=%ld:%s program=%s arguments=%zu timer=%s "
      "threads=%zu regions=%zu comms=%zu losses=%zu bad=%zu complete=%d leader=%u measured=",
      name.c_str(), d.process.rank, d.process.size, d.node.identity.c_str(),
      static_cast<long>(d.metahost.id), d.metahost.name.c_str(), d.program.path.c_str(),
      d.program.arguments.size(), d.clock.timer.c_str(), d.threads.size(), d.regions.size(),
      d.comms.size(), d.losses.size(), d.bad_lines.size(), d.complete ? 1 : 0, d.clock.leader);
  for (const auto& m : d.measurements) {
    std::printf("%u:%u->%u:%ld+-%ld,", m.moment, m.child, m.parent,
                static_cast<long>(m.found.offset), static_cast<long>(m.found.error));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(argv[1]) + "/records")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto bytes = test::read_file(file.string());
    const std::string name = file.filename().string();
    file.extension() == ".def" ? dump_definitions(name, bytes) : dump_records(name, bytes);
  }
  return 0;
}
