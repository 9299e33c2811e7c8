// SPDX-License-Identifier: BSD-3-Clause
// Defaults of synthetic archives: one machine, one node, one location per rank.
#include "tests/support/trace_model.hpp"

#include <numeric>

namespace latecomer::test {
namespace {

// Maps MPI_Iallreduce to MPI_Allreduce; used only for the role.
std::string blocking_name(std::string_view name) {
  std::string out(name);
  if (out.size() > 5 && out[4] == 'I' && out.substr(4, 4) != "Init" && out[5] >= 'a') {
    out.erase(4, 1);
    if (out[4] >= 'a' && out[4] <= 'z') out[4] = static_cast<char>(out[4] - 'a' + 'A');
  }
  return out;
}

// Score-P's names of constructs, such as "!$omp parallel @program.c:3" and omp_set_lock.
std::optional<OTF2_RegionRole> openmp_role(std::string_view name) {
  static constexpr std::pair<std::string_view, OTF2_RegionRole> kRoles[] = {
      {"!$omp parallel", OTF2_REGION_ROLE_PARALLEL},
      {"!$omp for", OTF2_REGION_ROLE_LOOP},
      {"!$omp barrier", OTF2_REGION_ROLE_BARRIER},
      {"!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
      {"!$omp critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
      {"!$omp critical", OTF2_REGION_ROLE_CRITICAL},
      {"!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT},
      {"!$omp task", OTF2_REGION_ROLE_TASK},
      {"omp_", OTF2_REGION_ROLE_WRAPPER},
  };
  for (const auto& [begin, role] : kRoles) {
    if (name.starts_with(begin)) return role;
  }
  return {};
}

}  // namespace

OTF2_RegionRole mpi_role(std::string_view name) {
  static const std::map<std::string, OTF2_RegionRole, std::less<>> kRoles = {
      {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER},
      {"MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
      {"MPI_Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL},
      {"MPI_Scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL},
      {"MPI_Gather", OTF2_REGION_ROLE_COLL_ALL2ONE},
      {"MPI_Gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE},
      {"MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},
      {"MPI_Allgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Neighbor_allgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Neighbor_allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Neighbor_alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Neighbor_alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Neighbor_alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"MPI_Scan", OTF2_REGION_ROLE_COLL_OTHER},
      {"MPI_Exscan", OTF2_REGION_ROLE_COLL_OTHER},
  };
  static const char* const kPointToPoint[] = {
      "MPI_Send",      "MPI_Bsend",     "MPI_Ssend",      "MPI_Rsend",      "MPI_Recv",
      "MPI_Probe",     "MPI_Mprobe",    "MPI_Mrecv",      "MPI_Sendrecv",   "MPI_Sendrecv_replace",
      "MPI_Send_init", "MPI_Recv_init", "MPI_Bsend_init", "MPI_Ssend_init", "MPI_Rsend_init",
  };
  for (const char* call : {"MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget"}) {
    if (name == call) return OTF2_REGION_ROLE_RMA;
  }
  for (const char* call : {"MPI_Accumulate", "MPI_Fetch_and_op"}) {
    if (name == call) return OTF2_REGION_ROLE_ATOMIC;
  }
  const std::string blocking = blocking_name(name);
  for (const char* call : kPointToPoint) {
    if (blocking == call) return OTF2_REGION_ROLE_POINT2POINT;
  }
  const auto it = kRoles.find(blocking);
  if (it == kRoles.end()) return OTF2_REGION_ROLE_FUNCTION;
  return it->second;
}

TraceModel::TraceModel(std::uint32_t ranks, std::string program) : node_of(ranks, 0) {
  regions.push_back({"MEASUREMENT OFF", "", 0, OTF2_PARADIGM_USER, OTF2_REGION_ROLE_ARTIFICIAL});
  for (const auto& name : {std::string("TRACE BUFFER FLUSH"), std::move(program)}) {
    regions.push_back({name, "", 0, OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_ROLE_ARTIFICIAL});
  }
  Communicator world{"MPI_COMM_WORLD", std::vector<std::uint32_t>(ranks), {}, false};
  std::iota(world.members.begin(), world.members.end(), 0);
  communicators.push_back(std::move(world));
  communicators.push_back({"MPI_COMM_SELF", {}, {}, true});
  for (std::uint32_t r = 0; r < ranks; ++r) locations.push_back({r, r, "Master thread", 0, {}});
}

std::uint32_t TraceModel::region(std::string_view name) {
  const auto it = region_ids_.find(name);
  if (it != region_ids_.end()) return it->second;
  const auto id = static_cast<std::uint32_t>(regions.size());
  if (name.starts_with("MPI_")) {
    regions.push_back({std::string(name), "MPI", 0, OTF2_PARADIGM_MPI, mpi_role(name)});
  } else if (name.starts_with("pthread_") || name.starts_with("sem_")) {
    regions.push_back(
        {std::string(name), "program.c", 10 * id, OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_WRAPPER});
  } else if (const auto role = openmp_role(name)) {
    regions.push_back({std::string(name), "program.c", 10 * id, OTF2_PARADIGM_OPENMP, *role});
  } else {
    regions.push_back(
        {std::string(name), "program.c", 10 * id, OTF2_PARADIGM_USER, OTF2_REGION_ROLE_FUNCTION});
  }
  region_ids_.emplace(name, id);
  return id;
}

}  // namespace latecomer::test
