// SPDX-License-Identifier: BSD-3-Clause
// Names of functions in files that rank 0 cannot read, as on another metahost. The path is
// relative, and only the other ranks are in the directory that it refers to.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "tracer/convert/definitions/function_names.hpp"
#include "tracer/exchange/mpi_group.hpp"
#include "tracer/symbols/module_symbols.hpp"

using namespace latecomer;

namespace {

int failures = 0;

void check(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}

// Offset of plain_c() in the probe.
std::uint64_t offset() {
  void* const library = dlopen(PROBE, RTLD_NOW);
  const auto address = reinterpret_cast<const void* (*)(int)>(dlsym(library, "probe_address"));
  Dl_info info{};
  const void* const function = address(3);
  dladdr(function, &info);
  return static_cast<std::uint64_t>(static_cast<const char*>(function) -
                                    static_cast<const char*>(info.dli_fbase));
}

// Every rank has function 5000 of a file that all ranks except 0 find, 5001 of one that all find,
// 5002 of one that no rank finds.
record::Definitions definitions(std::uint64_t at) {
  record::Definitions d;
  d.modules = {{0, "libuser_probe.so", ""}, {1, PROBE, ""}, {2, "/nowhere/lib.so", "00"}};
  d.addresses = {{5000, 0, at}, {5001, 1, at}, {5002, 2, 0x77}};
  return d;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::uint64_t at = offset();
  const auto directory = std::filesystem::path(PROBE).parent_path();
  if (chdir(rank == 0 ? "/" : directory.c_str()) != 0) return 2;

  const auto mine = definitions(at);
  std::vector<convert::ProcessInput> inputs;
  if (rank == 0) {
    for (int r = 0; r < size; ++r) {
      inputs.push_back({static_cast<std::uint32_t>(r), definitions(at), {}});
    }
  }
  exchange::MpiGroup group(MPI_COMM_WORLD);
  Status status = success();
  const auto problems = convert::name_functions(group, mine, inputs, status);
  check(status.ok(), "status");
  for (const auto& input : inputs) {
    std::map<std::uint32_t, std::string> names;
    for (const auto& region : input.definitions.regions) names[region.id] = region.name;
    check(names.size() == 3, "each function has one region");
    check(names[5001] == "plain_c", "a file that all can read");
    check(names[5002] == "lib.so+0x77", "a file that nobody can read");
    const std::string expected = input.rank == 0 ? user::nameless(mine.modules[0], at) : "plain_c";
    check(names[5000] == expected, "a file that only the others can read");
  }
  check(rank != 0 || problems.size() == 2, "two files could not be read");
  // There is nothing to look up, so no process waits for another.
  for (auto& input : inputs) input.definitions.addresses.clear();
  check(convert::name_functions(group, mine, inputs, status).empty(), "nothing to name");
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
