// SPDX-License-Identifier: BSD-3-Clause
// Prints the call paths in the records of an experiment directory, for tests.
//   calls_dump DIRECTORY     one line per path: file, path, visits, source file and line
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tests/support/temporary_directory.hpp"
#include "tracer/functions/regions.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/symbols/module_symbols.hpp"

using namespace latecomer;

namespace {

struct Region {
  std::string name, place;
};
using Regions = std::map<std::uint64_t, Region>;

Regions read_regions(const std::filesystem::path& log) {
  const auto bytes = test::read_file(log.string());
  auto all = record::parse_definitions({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const auto& problem : user::NameLookup().resolve(all))
    std::printf("problem %s\n", problem.c_str());
  Regions regions;
  for (const auto& r : all.regions) {
    const auto file = r.file.substr(r.file.rfind('/') + 1);
    regions[r.id] = {r.name, r.paradigm + " " + file + ":" + std::to_string(r.first_line)};
  }
  for (std::size_t i = 0; i < mpi::kRegions.size(); ++i)
    regions[i] = {mpi::kRegions[i].name, "mpi"};
  return regions;
}

void dump(const std::filesystem::path& file, const Regions& regions) {
  const auto bytes = test::read_file(file.string());
  auto reader = record::RecordReader::over(bytes);
  if (!reader) return;
  struct Visits {
    std::size_t order = 0, count = 0;
    std::string place;
  };
  std::map<std::string, Visits> paths;
  std::vector<std::string> stack{""};
  for (record::Record r; reader->next(r);) {
    if (r.kind == record::Kind::kLeave && stack.size() > 1) stack.pop_back();
    if (r.kind != record::Kind::kEnter) continue;
    const auto known = regions.find(r.id);
    const Region region = known != regions.end() ? known->second : Region{"?", "?"};
    stack.push_back(stack.back() + "/" + region.name);
    const auto [path, is_new] =
        paths.try_emplace(stack.back(), Visits{paths.size(), 0, region.place});
    ++path->second.count;
  }
  std::vector<std::pair<std::string, Visits>> sorted(paths.begin(), paths.end());
  std::ranges::sort(sorted, {}, [](const auto& p) { return p.second.order; });
  for (const auto& [path, visits] : sorted) {
    std::printf("%s\t%s\t%zu\t%s\n", file.stem().c_str(), path.c_str() + 1, visits.count,
                visits.place.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(argv[1]) + "/records")) {
    if (entry.path().extension() == ".rec") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    const auto rank = file.stem().string();
    dump(file, read_regions(file.parent_path() / (rank.substr(0, rank.find('.')) + ".def")));
  }
  return 0;
}
