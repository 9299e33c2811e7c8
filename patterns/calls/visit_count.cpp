// SPDX-License-Identifier: BSD-3-Clause
// Maps regions to the metric that counts their visits.
#include "patterns/calls/visit_count.hpp"

#include <string>

#include "patterns/calls/lower.hpp"

namespace latecomer::patterns {

std::string_view visit_count(std::string_view region, std::string_view time_class) {
  if (time_class == "mpi_rma_sync_active") return "syncs_rma_active";
  if (time_class == "mpi_rma_sync_passive") return "syncs_rma_passive";
  const bool individual = time_class == "mpi_io_individual";
  if (!individual && time_class != "mpi_io_collective") return {};
  const std::string name = lower(region);
  if (name.ends_with("_end") || name.ends_with("_end_c")) return {};
  if (name.find("write") != std::string::npos) {
    return individual ? "mpi_file_iwops" : "mpi_file_cwops";
  }
  return individual ? "mpi_file_irops" : "mpi_file_crops";
}

}  // namespace latecomer::patterns
