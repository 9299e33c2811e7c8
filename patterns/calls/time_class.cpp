// SPDX-License-Identifier: BSD-3-Clause
// Maps regions to time metrics by patterns of their names and roles.
#include "patterns/calls/time_class.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "patterns/calls/lower.hpp"
#include "patterns/calls/thread_construct.hpp"

namespace latecomer::patterns {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool starts_with_one_of(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

// Calls "file_...": reads and writes are I/O, individual or collective; the others manage files.
std::string_view file_class(std::string_view call) {
  call.remove_prefix(std::string_view("file_").size());
  if (!starts_with_one_of(call, {"read", "iread", "write", "iwrite"})) return "mpi_mgmt_file";
  const bool collective = call.find("_all") != std::string_view::npos ||
                          call.find("_ordered") != std::string_view::npos;
  return collective ? "mpi_io_collective" : "mpi_io_individual";
}

// Calls "win_...".
std::string_view window_class(std::string_view call) {
  call.remove_prefix(std::string_view("win_").size());
  if (one_of(call, {"complete", "fence", "post", "start", "test", "wait"})) {
    return "mpi_rma_sync_active";
  }
  if (one_of(call, {"lock", "lock_all", "unlock", "unlock_all", "flush", "flush_all", "flush_local",
                    "flush_local_all", "sync"})) {
    return "mpi_rma_sync_passive";
  }
  return "mpi_mgmt_win";
}

// `call` is in lower case, without "mpi_" and without the "_c" of large counts.
std::string_view mpi_class(std::string_view call, std::string_view role) {
  if (one_of(call, {"init", "init_thread", "initialized", "finalize", "finalized"})) {
    return "mpi_init_exit";
  }
  if (call.starts_with("file_")) return file_class(call);
  if (call.starts_with("win_")) return window_class(call);
  if (starts_with_one_of(call, {"cart_", "comm_", "graph_", "dist_graph_", "intercomm_"}) ||
      one_of(call, {"dims_create", "topo_test", "open_port", "close_port", "publish_name",
                    "unpublish_name", "lookup_name"})) {
    return "mpi_mgmt_comm";
  }
  if (role == "barrier") return "mpi_sync_collective";
  if (one_of(role, {"one2all", "all2one", "all2all", "other collective"})) return "mpi_collective";
  if (role == "point2point" || call.starts_with("pready") || call == "parrived" ||
      one_of(call, {"wait", "waitany", "waitall", "waitsome", "test", "testany", "testall",
                    "testsome"})) {
    return "mpi_point2point";
  }
  if (role == "rma" || role == "atomic") return "mpi_rma_communication";
  return "mpi";
}

// Constructs that organize threads have their own classes. Code inside a loop or a parallel region
// is computation.
std::string_view openmp_class(std::string_view name, std::string_view role) {
  switch (thread_construct(name, "openmp", role)) {
    case ThreadConstruct::kBarrier:
      return "omp_ebarrier";
    case ThreadConstruct::kImplicitBarrier:
      return "omp_ibarrier";
    case ThreadConstruct::kCritical:
      return "omp_critical";
    case ThreadConstruct::kLockApi:
      return "omp_lock_api";
    default:
      break;
  }
  if (role == "ordered") return "omp_ordered";
  if (role == "taskwait") return "omp_taskwait";
  return role == "flush" ? "omp_flush" : "comp";
}

std::string_view pthread_class(std::string_view name) {
  switch (thread_construct(name, "pthread", "")) {
    case ThreadConstruct::kMutex:
      return "pthread_lock_api";
    case ThreadConstruct::kCondition:
      return "pthread_conditional";
    case ThreadConstruct::kReadWriteLock:
      return "pthread_rwlock";
    case ThreadConstruct::kSemaphore:
      return "pthread_semaphore";
    case ThreadConstruct::kPosixBarrier:
      return "pthread_barrier";
    case ThreadConstruct::kThreadEnd:
      return "pthread_join";
    default:
      return "pthread_management";
  }
}

}  // namespace

std::string_view time_class(std::string_view name, std::string_view paradigm,
                            std::string_view role) {
  const std::string lowered = lower(name);
  if (paradigm == "measurement") {
    return one_of(lowered, {"trace buffer flush", "tracing", "clock measurement"}) ? "overhead"
                                                                                   : "comp";
  }
  if (paradigm == "mpi" && lowered != "parallel") {
    std::string_view call = lowered;
    if (!call.starts_with("mpi_")) return "mpi";
    call.remove_prefix(4);
    if (call.ends_with("_c")) call.remove_suffix(2);
    return mpi_class(call, role);
  }
  if (paradigm == "openmp") return openmp_class(lowered, role);
  return paradigm == "pthread" ? pthread_class(lowered) : "comp";
}

}  // namespace latecomer::patterns
