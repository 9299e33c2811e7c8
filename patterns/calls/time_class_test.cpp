// SPDX-License-Identifier: BSD-3-Clause
// The time class of regions, derived from the masks of the metric tree.
#include "patterns/calls/time_class.hpp"

#include <catch2/catch.hpp>

#include "patterns/calls/visit_count.hpp"
#include "patterns/metrics.hpp"

using namespace latecomer::patterns;

namespace {

struct Expected {
  const char* name;
  const char* role;
  const char* metric;
};

const Expected kMpi[] = {
    {"MPI_Init", "function", "mpi_init_exit"},
    {"MPI_Init_thread", "function", "mpi_init_exit"},
    {"MPI_Finalized", "function", "mpi_init_exit"},
    {"MPI_Comm_split", "function", "mpi_mgmt_comm"},
    {"MPI_Comm_rank", "function", "mpi_mgmt_comm"},
    {"MPI_Cart_create", "function", "mpi_mgmt_comm"},
    {"MPI_Graph_get", "function", "mpi_mgmt_comm"},
    {"MPI_Dist_graph_create_adjacent", "function", "mpi_mgmt_comm"},
    {"MPI_Intercomm_merge", "function", "mpi_mgmt_comm"},
    {"MPI_Dims_create", "function", "mpi_mgmt_comm"},
    {"MPI_Topo_test", "function", "mpi_mgmt_comm"},
    {"MPI_Open_port", "function", "mpi_mgmt_comm"},
    {"MPI_Lookup_name", "function", "mpi_mgmt_comm"},
    {"MPI_File_open", "file io metadata", "mpi_mgmt_file"},
    {"MPI_File_seek", "file io metadata", "mpi_mgmt_file"},
    {"MPI_File_set_view", "function", "mpi_mgmt_file"},
    {"MPI_Pready_range", "function", "mpi_point2point"},
    {"MPI_Parrived", "function", "mpi_point2point"},
    {"MPI_File_read", "file io", "mpi_io_individual"},
    {"MPI_File_iread_at", "file io", "mpi_io_individual"},
    {"MPI_File_write_shared", "file io", "mpi_io_individual"},
    {"MPI_File_iwrite_shared", "file io", "mpi_io_individual"},
    {"MPI_File_read_c", "file io", "mpi_io_individual"},
    {"MPI_File_read_all", "file io", "mpi_io_collective"},
    {"MPI_File_write_at_all_begin", "file io", "mpi_io_collective"},
    {"MPI_File_write_at_all_end", "file io", "mpi_io_collective"},
    {"MPI_File_read_ordered", "file io", "mpi_io_collective"},
    {"MPI_File_iread_all", "file io", "mpi_io_collective"},
    {"MPI_File_iwrite_at_all_c", "file io", "mpi_io_collective"},
    {"MPI_Win_create", "function", "mpi_mgmt_win"},
    {"MPI_Win_allocate_shared", "function", "mpi_mgmt_win"},
    {"MPI_Win_create_c", "function", "mpi_mgmt_win"},
    {"MPI_Win_free", "function", "mpi_mgmt_win"},
    {"MPI_Win_fence", "function", "mpi_rma_sync_active"},
    {"MPI_Win_test", "function", "mpi_rma_sync_active"},
    {"MPI_Win_lock", "function", "mpi_rma_sync_passive"},
    {"MPI_Win_unlock_all", "function", "mpi_rma_sync_passive"},
    {"MPI_Win_flush_local_all", "function", "mpi_rma_sync_passive"},
    {"MPI_Win_sync", "function", "mpi_rma_sync_passive"},
    {"MPI_Put", "rma", "mpi_rma_communication"},
    {"MPI_Fetch_and_op", "atomic", "mpi_rma_communication"},
    {"MPI_Barrier", "barrier", "mpi_sync_collective"},
    {"MPI_Ibarrier", "barrier", "mpi_sync_collective"},
    {"MPI_Bcast", "one2all", "mpi_collective"},
    {"MPI_Gather", "all2one", "mpi_collective"},
    {"MPI_Neighbor_allgather", "all2all", "mpi_collective"},
    {"MPI_Exscan", "other collective", "mpi_collective"},
    {"MPI_Send", "point2point", "mpi_point2point"},
    {"MPI_Send_c", "point2point", "mpi_point2point"},
    {"MPI_Probe", "point2point", "mpi_point2point"},
    {"MPI_Wait", "function", "mpi_point2point"},
    {"MPI_Waitsome", "function", "mpi_point2point"},
    {"MPI_Testany", "function", "mpi_point2point"},
    {"MPI_Start", "function", "mpi"},
    {"MPI_Type_commit", "function", "mpi"},
    {"MPI_Alloc_mem", "allocate", "mpi"},
    {"MPI_Test_cancelled", "function", "mpi"},
};

}  // namespace

TEST_CASE("time classes of MPI calls") {
  for (const auto& e : kMpi) {
    INFO(e.name);
    CHECK(time_class(e.name, "mpi", e.role) == e.metric);
  }
}

TEST_CASE("names are compared without case") {
  for (const auto& e : kMpi) {
    std::string upper(e.name);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    INFO(upper);
    CHECK(time_class(upper, "mpi", e.role) == e.metric);
  }
}

TEST_CASE("every time class is a metric below time") {
  const MetricTree tree(computed_metrics({}));
  for (const auto& e : kMpi) {
    INFO(e.metric);
    const auto id = tree.id(time_class(e.name, "mpi", e.role));
    REQUIRE(id != MetricTree::kNone);
    const auto path = tree.path(id);
    CHECK(tree[path.back()].name == "time");
    CHECK(std::ranges::count(path, tree.id("mpi")) == 1);
  }
}

TEST_CASE("program code is computation, whatever it is called") {
  CHECK(time_class("main", "compiler", "function") == "comp");
  CHECK(time_class("MPI_Wrapper_of_mine", "user", "function") == "comp");
  CHECK(time_class("MPI_Send", "user", "function") == "comp");
  CHECK(time_class("heat", "measurement", "artificial") == "comp");  // the program's own region
  CHECK(time_class("MEASUREMENT OFF", "user", "artificial") == "comp");
  CHECK(time_class("kernel", "cuda", "function") == "comp");
  CHECK(time_class("PARALLEL", "mpi", "function") == "comp");
  CHECK(time_class("", "", "") == "comp");
}

TEST_CASE("the measurement's own work is overhead") {
  CHECK(time_class("TRACE BUFFER FLUSH", "measurement", "artificial") == "overhead");
  CHECK(time_class("TRACING", "measurement", "artificial") == "overhead");
  CHECK(time_class("CLOCK MEASUREMENT", "measurement", "artificial") == "overhead");
  CHECK(time_class("TRACING", "user", "function") == "comp");
}

TEST_CASE("organizing threads is neither computation nor MPI") {
  CHECK(time_class("!$omp barrier @a.c:3", "openmp", "barrier") == "omp_ebarrier");
  CHECK(time_class("!$omp implicit barrier @a.c:3", "openmp", "implicit barrier") ==
        "omp_ibarrier");
  CHECK(time_class("!$omp critical @a.c:3", "openmp", "critical") == "omp_critical");
  CHECK(time_class("omp_set_lock", "openmp", "wrapper") == "omp_lock_api");
  CHECK(time_class("omp_set_nest_lock @a.c:3", "openmp", "function") == "omp_lock_api");
  CHECK(time_class("pthread_mutex_lock", "pthread", "wrapper") == "pthread_lock_api");
  CHECK(time_class("pthread_mutex_unlock @a.c:3", "pthread", "wrapper") == "pthread_lock_api");
  CHECK(time_class("pthread_spin_lock @a.c:3", "pthread", "wrapper") == "pthread_lock_api");
  CHECK(time_class("mtx_lock @join.c:3", "pthread", "wrapper") == "pthread_lock_api");
  CHECK(time_class("cnd_timedwait @a.c:3", "pthread", "wrapper") == "pthread_conditional");
  CHECK(time_class("thrd_join @a.c:3", "pthread", "thread wait") == "pthread_join");
  CHECK(time_class("thrd_create @join.c:3", "pthread", "thread create") == "pthread_management");
  CHECK(time_class("pthread_cond_signal @a.c:3", "pthread", "wrapper") == "pthread_conditional");
  CHECK(time_class("pthread_rwlock_timedrdlock", "pthread", "wrapper") == "pthread_rwlock");
  CHECK(time_class("pthread_barrier_wait @a.c:3", "pthread", "barrier") == "pthread_barrier");
  CHECK(time_class("sem_wait @a.c:3", "pthread", "wrapper") == "pthread_semaphore");
  CHECK(time_class("pthread_timedjoin_np", "pthread", "thread wait") == "pthread_join");
  CHECK(time_class("pthread_create @a.c:3", "pthread", "thread create") == "pthread_management");
  CHECK(time_class("!$omp for @a.c:3", "openmp", "loop") == "comp");
  CHECK(time_class("!$omp critical sblock @a.c:3", "openmp", "critical sblock") == "comp");
}

TEST_CASE("MPI regions with unknown names stay in MPI") {
  CHECK(time_class("MPI_Something_new", "mpi", "function") == "mpi");
  CHECK(time_class("MPIX_Query", "mpi", "function") == "mpi");
  CHECK(time_class("MPI_", "mpi", "function") == "mpi");
  CHECK(time_class("", "mpi", "") == "mpi");
}

TEST_CASE("visits of file operations and of one-sided synchronization count as what they are") {
  const auto counted_as = [](const char* name, const char* role) {
    return visit_count(name, time_class(name, "mpi", role));
  };
  CHECK(counted_as("MPI_File_read", "file io") == "mpi_file_irops");
  CHECK(counted_as("MPI_File_iread_at", "file io") == "mpi_file_irops");
  CHECK(counted_as("MPI_File_write_shared", "file io") == "mpi_file_iwops");
  CHECK(counted_as("MPI_File_write_c", "file io") == "mpi_file_iwops");
  CHECK(counted_as("MPI_File_read_all", "file io") == "mpi_file_crops");
  CHECK(counted_as("MPI_File_iread_at_all", "file io") == "mpi_file_crops");
  CHECK(counted_as("MPI_File_write_ordered", "file io") == "mpi_file_cwops");
  CHECK(counted_as("MPI_File_write_all_begin", "file io") == "mpi_file_cwops");
  CHECK(counted_as("MPI_File_write_all_end", "file io").empty());
  CHECK(counted_as("MPI_File_read_all_end", "file io").empty());
  CHECK(counted_as("MPI_File_open", "file io metadata").empty());
  CHECK(counted_as("MPI_Win_fence", "rma") == "syncs_rma_active");
  CHECK(counted_as("MPI_Win_flush_all", "rma") == "syncs_rma_passive");
  CHECK(counted_as("MPI_Win_create", "rma").empty());
  CHECK(counted_as("MPI_Put", "rma").empty());
  CHECK(counted_as("MPI_Send", "point2point").empty());
  CHECK(visit_count("write", "comp").empty());
}
