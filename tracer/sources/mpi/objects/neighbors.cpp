// SPDX-License-Identifier: BSD-3-Clause
// Asks MPI for the lists of neighbors once per communicator, but for their lengths each time. If
// the program has a profiling layer, the handle may meanwhile belong to another communicator.
#include "tracer/sources/mpi/objects/neighbors.hpp"

#include <mutex>
#include <utility>

#include "tracer/session/process/session.hpp"

namespace latecomer::mpi::neighbors {
namespace {

using Known = std::shared_ptr<const Neighbors>;

NeighborState& state() { return process().mpi.neighbors; }

struct Degrees {
  int kind = MPI_UNDEFINED;
  int in = 0, out = 0;
};

Degrees degrees(MPI_Comm comm, int rank) {
  Degrees d;
  PMPI_Topo_test(comm, &d.kind);
  if (d.kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    d.in = d.out = 2 * dimensions;
  } else if (d.kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, rank, &d.in);
    d.out = d.in;
  } else if (d.kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &d.in, &d.out, &weighted);
  }
  return d;
}

Neighbors ask(MPI_Comm comm, int rank, const Degrees& d) {
  Neighbors n;
  n.sources.resize(static_cast<std::size_t>(d.in));
  n.destinations.resize(static_cast<std::size_t>(d.out));
  if (d.kind == MPI_CART) {
    for (int i = 0; i < d.in / 2; ++i) {
      // MPI's order: the neighbor in negative direction of each dimension, then the one in
      // positive.
      int* pair = &n.sources[2 * static_cast<std::size_t>(i)];
      PMPI_Cart_shift(comm, i, 1, pair, pair + 1);
    }
    n.destinations = n.sources;
  } else if (d.kind == MPI_GRAPH) {
    PMPI_Graph_neighbors(comm, rank, d.in, n.sources.data());
    n.destinations = n.sources;
  } else if (d.kind == MPI_DIST_GRAPH) {
    std::vector<int> weights_in(n.sources.size()), weights_out(n.destinations.size());
    PMPI_Dist_graph_neighbors(comm, d.in, n.sources.data(), weights_in.data(), d.out,
                              n.destinations.data(), weights_out.data());
  }
  return n;
}

void log(record::CommId comm, const Neighbors& n) {
  record::NeighborsDefinition definition{comm, {}};
  for (const int source : n.sources) {
    if (source >= 0) definition.sources.push_back(static_cast<std::uint32_t>(source));
  }
  session::define_neighbors(definition);
}

}  // namespace

Known of(MPI_Comm comm) {
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return state().none.get([] { return std::make_shared<Neighbors>(); });
  const Degrees d = degrees(comm, info->rank);
  const std::lock_guard lock(state().mutex);
  Known& lists = state().known.get()[info->id];
  if (lists == nullptr || lists->sources.size() != static_cast<std::size_t>(d.in) ||
      lists->destinations.size() != static_cast<std::size_t>(d.out)) {
    lists = std::make_shared<Neighbors>(ask(comm, info->rank, d));
    log(info->id, *lists);
  }
  return lists;
}

void forget(record::CommId comm) {
  const std::lock_guard lock(state().mutex);
  state().known.get().erase(comm);
}

}  // namespace latecomer::mpi::neighbors
