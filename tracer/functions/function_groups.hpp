// SPDX-License-Identifier: BSD-3-Clause
// Groups of MPI functions that a filter can name.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "tracer/functions/regions.hpp"

namespace latecomer::mpi {

// Functions without which a trace cannot be understood, or that show how a process ended.
inline bool is_always_recorded(std::string_view function) {
  constexpr std::array<std::string_view, 5> kAlways = {"MPI_Abort", "MPI_Finalize", "MPI_Init",
                                                       "MPI_Init_thread", "MPI_Pcontrol"};
  return std::ranges::find(kAlways, function) != kAlways.end();
}

inline constexpr std::array<std::string_view, 6> kFunctionGroups = {
    "collective", "io", "local", "one-sided", "point2point", "tests"};

// Functions in which no other process takes part, however long they take.
inline bool is_local(const RegionInfo& function) {
  constexpr std::array<std::string_view, 6> kWithOthers = {
      "MPI_Comm_accept", "MPI_Comm_connect",        "MPI_Comm_join",
      "MPI_Comm_spawn",  "MPI_Comm_spawn_multiple", "MPI_Session_finalize"};
  const std::string_view name = function.name;
  return function.call_only && std::string_view(function.role) == "function" &&
         !name.starts_with("MPI_File_") && !is_always_recorded(name) &&
         std::ranges::find(kWithOthers, name) == kWithOthers.end();
}

// `group` is one of kFunctionGroups; a function may be in several.
inline bool is_in_group(const RegionInfo& function, std::string_view group) {
  const std::string_view name = function.name, role = function.role;
  if (group == "local") return is_local(function);
  if (group == "point2point") return role == "point2point";
  if (group == "io") return name.starts_with("MPI_File_");
  if (group == "one-sided") {
    return role == "rma" || role == "atomic" ||
           (name.starts_with("MPI_Win_") && !function.call_only);
  }
  if (group == "tests") {
    return name == "MPI_Test" || name == "MPI_Testall" || name == "MPI_Testany" ||
           name == "MPI_Testsome" || name == "MPI_Iprobe" || name == "MPI_Improbe" ||
           name == "MPI_Parrived" || name == "MPI_Request_get_status";
  }
  return role == "barrier" || role == "one2all" || role == "all2one" || role == "all2all" ||
         role == "other collective";
}

}  // namespace latecomer::mpi
