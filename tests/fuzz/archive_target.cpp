// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: whole archives through the analysis on one process, with matching, corrected clocks,
// wait states, causes, the report, and the archive with corrected times.
#include <mpi.h>

#include "analyzer/replay/analysis.hpp"
#include "analyzer/report/cube/write_cube.hpp"
#include "tests/fuzz/archive_files.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

const Directory& place() {
  static const Directory directory;
  return directory;
}

parallel::Processes& processes() {
  static const int initialized = MPI_Init(nullptr, nullptr);
  static_cast<void>(initialized);
  static parallel::Processes all(MPI_COMM_WORLD);
  return all;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().fill({});
  const auto archive = place().path() / "archive";
  std::filesystem::create_directory(archive);
  Files files;
  for (const auto& [name, bytes] : unpack(input)) files["archive/" + name] = bytes;
  place().fill(files);
  replay::Options options;
  options.write_corrected = place().path() / "corrected";
  const auto analysis = replay::analyze(archive, options, processes());
  must(analysis.ok() || !analysis.problem().what.empty(), "a problem has words");
  if (!analysis) return;
  const Status written =
      report::write_cube(analysis->definitions, analysis->severities, analysis->columns,
                         processes(), place().path() / "analysis.cubex");
  must(written.ok(), "the report can be written");
}

std::vector<Bytes> seeds() {
  return {pack(archive_files(Archive::kMessages)), pack(archive_files(Archive::kAllRecords))};
}

void mutate(Bytes& input, Random& random) { mutate_one(input, random, mutate_archive_file); }

}  // namespace latecomer::fuzz
