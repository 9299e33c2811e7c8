// SPDX-License-Identifier: BSD-3-Clause
// Arguments of Fortran programs with Open MPI. Its Fortran layers call PMPI, so they have wrappers,
// too.
#pragma once

#include <mpi.h>

#include <vector>

#include "tracer/sources/mpi/objects/communicators.hpp"
#include "tracer/sources/mpi/objects/neighbors.hpp"

#if defined(OPEN_MPI)

// Addresses that represent constants in Fortran.
extern "C" {
extern int mpi_fortran_bottom_, mpi_fortran_in_place_;
extern int mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;
}
#pragma weak mpi_fortran_bottom_
#pragma weak mpi_fortran_in_place_
#pragma weak mpi_fortran_status_ignore_
#pragma weak mpi_fortran_statuses_ignore_

namespace latecomer::mpi {

inline void convert(MPI_Fint f, MPI_Comm& c) { c = PMPI_Comm_f2c(f); }
inline void convert(MPI_Fint f, MPI_Datatype& c) { c = PMPI_Type_f2c(f); }
inline void convert(MPI_Fint f, MPI_Request& c) { c = PMPI_Request_f2c(f); }
inline void convert(MPI_Fint f, MPI_Group& c) { c = PMPI_Group_f2c(f); }
inline void convert(MPI_Fint f, MPI_Win& c) { c = PMPI_Win_f2c(f); }
inline void convert(MPI_Fint f, MPI_Op& c) { c = PMPI_Op_f2c(f); }
inline void convert(MPI_Fint f, MPI_Message& c) { c = PMPI_Message_f2c(f); }

template <typename Handle>
Handle from_fortran(const void* reference) {
  Handle handle;
  convert(*static_cast<const MPI_Fint*>(reference), handle);
  return handle;
}

// C handles beside the Fortran handles of the program, which MPI changes.
template <typename Handle>
class FortranHandles {
 public:
  FortranHandles(const void* reference, int count)
      : fortran_(static_cast<const MPI_Fint*>(reference)), count_(count > 0 ? count : 0) {
    if (count_ > kFixed) many_.resize(static_cast<std::size_t>(count_));
    refresh();
  }
  void refresh() {
    for (int i = 0; i < count_; ++i) convert(fortran_[i], get()[i]);
  }
  Handle* get() { return count_ > kFixed ? many_.data() : few_; }

 private:
  static constexpr int kFixed = 16;
  const MPI_Fint* fortran_;
  int count_;
  Handle few_[kFixed];
  std::vector<Handle> many_;
};

// Number of processes for which a collective operation has arguments.
inline int partners_of(MPI_Comm comm) {
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return 0;
  return info->remote_size != 0 ? info->remote_size : info->size;
}

// Number of neighbors for which a neighborhood operation has arguments.
struct NeighborCounts {
  int to = 0, from = 0;
};

inline NeighborCounts neighbors_of(MPI_Comm comm) {
  if (communicators::find(comm) == nullptr) return {};
  const auto known = neighbors::of(comm);
  return {static_cast<int>(known->destinations.size()), static_cast<int>(known->sources.size())};
}

inline void* fortran_buffer(void* reference) {
  if (reference == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (reference == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return reference;
}

// Fortran's status has the layout of C's.
inline MPI_Status* f08_status(void* reference) {
  if (reference == &mpi_fortran_status_ignore_) return MPI_STATUS_IGNORE;
  if (reference == &mpi_fortran_statuses_ignore_) return MPI_STATUSES_IGNORE;
  return static_cast<MPI_Status*>(reference);
}

inline void use_f08_status(void*& reference, MPI_Status* chosen) {
  if (chosen != MPI_STATUS_IGNORE && chosen != MPI_STATUSES_IGNORE) reference = chosen;
}

}  // namespace latecomer::mpi

#endif
