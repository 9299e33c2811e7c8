// SPDX-License-Identifier: BSD-3-Clause
// Table of the MPI functions, with roles in OTF2's words.
#include "tracer/convert/definitions/mpi_functions.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tracer/functions/regions.hpp"

namespace latecomer::convert {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 6> kWords = {{
    {"one2all", "coll_one2all"},
    {"all2one", "coll_all2one"},
    {"all2all", "coll_all2all"},
    {"other collective", "coll_other"},
    {"file io", "file_io"},
    {"file io metadata", "file_io_metadata"},
}};

constexpr const char* role_of(const char* word) {
  for (const auto& [known, role] : kWords) {
    if (known == word) return role;
  }
  return word;
}

constexpr std::array<MpiFunction, mpi::kRegionCount> make_table() {
  std::array<MpiFunction, mpi::kRegionCount> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = {mpi::kRegions[i].name, role_of(mpi::kRegions[i].role)};
  }
  return table;
}

constexpr auto kTable = make_table();

}  // namespace

std::span<const MpiFunction> mpi_functions() { return kTable; }

std::string mpi_function_name(std::uint32_t region) {
  return region < kTable.size() ? kTable[region].name : "";
}

bool one_request_is_enough(std::string_view function) {
  return function.find("any") != std::string_view::npos ||
         function.find("some") != std::string_view::npos;
}

// The name is an FNV-1a hash over the names of functions.
std::string mpi_table_name() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const MpiFunction& function : mpi_functions()) {
    for (const char* c = function.name; c[0] != '\0'; ++c) {
      hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
    }
    hash = (hash ^ ' ') * 0x100000001b3;
  }
  return std::to_string(mpi_functions().size()) + "-" + std::to_string(hash);
}

}  // namespace latecomer::convert
