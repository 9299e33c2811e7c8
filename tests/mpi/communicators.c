/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators that are made in every way, used, named, and freed, and handles that are reused. */
#include "conform.h"

static int created, freed;

/* Checks that the communicator works and has the expected number of processes. */
static void use(MPI_Comm comm, int expected) {
  int me = -1, n = -1, sum = 0, in = -1;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  CHECK(n == expected && me >= 0 && me < n);
  OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == n * (n - 1) / 2);
  OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 80, &in, 1, MPI_INT, (me + n - 1) % n, 80, comm,
                  MPI_STATUS_IGNORE));
  CHECK(in == (me + n - 1) % n);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
  records("MPI_COLLECTIVE_END", 1);
}

static void use_and_free(MPI_Comm* comm, int expected) {
  use(*comm, expected);
  OK(MPI_Comm_free(comm));
  CHECK(*comm == MPI_COMM_NULL);
  ++created;
  ++freed;
  records("MPI_COLLECTIVE_END", 1);
}

static void copies(void) {
  MPI_Comm copy;
  MPI_Info info, got;
  int result = -1;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  OK(MPI_Comm_compare(MPI_COMM_WORLD, copy, &result));
  CHECK(result == MPI_CONGRUENT);
  use_and_free(&copy, size);
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "latecomer", "last"));
  OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy));
  OK(MPI_Comm_get_info(copy, &got));
  OK(MPI_Info_free(&got));
  use_and_free(&copy, size);
  OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  use_and_free(&copy, 1);
  OK(MPI_Info_free(&info));
  records("MPI_COLLECTIVE_END", 3);
}

/* Two copies at a time while other operations are pending, completed in reverse order. */
static void nonblocking_copies(void) {
  MPI_Comm copies[3];
  MPI_Request requests[4];
  int sum = 0, flag = 0;
  OK(MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]));
  OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[1], &requests[1]));
  OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]));
  OK(MPI_Comm_idup(MPI_COMM_SELF, &copies[2], &requests[3]));
  OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  while (!flag) OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
  OK(MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE));
  CHECK(sum == size * (size - 1) / 2);
  use_and_free(&copies[1], size);
  use_and_free(&copies[0], size);
  use_and_free(&copies[2], 1);
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 4);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 4);
}

static void parts(void) {
  MPI_Comm part;
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part));
  use_and_free(&part, (size + (rank % 2 == 0)) / 2);
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &part));
  CHECK((part == MPI_COMM_NULL) == (rank == 0));
  if (part != MPI_COMM_NULL) use_and_free(&part, size - 1);
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part));
  int shared = 0;
  OK(MPI_Comm_size(part, &shared));
  use_and_free(&part, shared);
  records("MPI_COLLECTIVE_END", 3);

  MPI_Group world, first;
  const int half = (size + 1) / 2;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_range_incl(world, 1, (int[][3]){{0, half - 1, 1}}, &first));
  OK(MPI_Comm_create(MPI_COMM_WORLD, first, &part));
  CHECK((part != MPI_COMM_NULL) == (rank < half));
  if (part != MPI_COMM_NULL) use_and_free(&part, half);
  records("MPI_COLLECTIVE_END", 1);
  if (rank < half) {
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, first, 9, &part));
    use_and_free(&part, half);
  }
  records("MPI_COLLECTIVE_END", rank < half ? 1 : 0);
  OK(MPI_Group_free(&first));
  OK(MPI_Group_free(&world));
}

static void topologies(void) {
  MPI_Comm grid, row, graph;
  int dims[2] = {0, 0}, kind = -1, neighbors = -1, weighted = -1, out_degree = -1;
  OK(MPI_Dims_create(size, 2, dims));
  OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){1, 0}, 0, &grid));
  OK(MPI_Topo_test(grid, &kind));
  CHECK(kind == MPI_CART);
  OK(MPI_Cart_sub(grid, (int[]){0, 1}, &row));
  use_and_free(&row, dims[1]);
  use_and_free(&grid, size);

  int* index = malloc(sizeof(int) * (size_t)size);
  int* edges = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) {
    index[i] = i + 1;
    edges[i] = (i + 1) % size;
  }
  OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph));
  OK(MPI_Graph_neighbors_count(graph, rank, &neighbors));
  CHECK(neighbors == 1);
  use_and_free(&graph, size);
  free(index);
  free(edges);

  const int next = (rank + 1) % size, previous = (rank + size - 1) % size, one = 1;
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next,
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
  OK(MPI_Dist_graph_neighbors_count(graph, &neighbors, &out_degree, &weighted));
  CHECK(neighbors == 1 && out_degree == 1 && !weighted);
  use_and_free(&graph, size);
  OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &one, MPI_INFO_NULL, 0, &graph));
  OK(MPI_Dist_graph_neighbors_count(graph, &neighbors, &out_degree, &weighted));
  CHECK(neighbors == 1 && out_degree == 1 && weighted);
  use_and_free(&graph, size);
  records("MPI_COLLECTIVE_END", 5);
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm copy;
  OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  OK(MPI_Comm_get_name(copy, name, &length));
  CHECK(length == 0 && name[0] == '\0');
  OK(MPI_Comm_set_name(copy, "late \"comers\""));
  OK(MPI_Comm_get_name(copy, name, &length));
  CHECK(strcmp(name, "late \"comers\"") == 0);
  use_and_free(&copy, size);
  records("MPI_COLLECTIVE_END", 1);
}

/* Handles and numbers of contexts are reused many times. */
static void many(void) {
  enum { kTimes = 40, kAlive = 10 };
  MPI_Comm comms[kAlive];
  for (int i = 0; i < kTimes; ++i) {
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[0]));
    OK(MPI_Comm_free(&comms[0]));
  }
  for (int i = 0; i < kAlive; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  for (int i = kAlive - 1; i >= 0; --i) use_and_free(&comms[i], size);
  /* Disconnecting is freeing. */
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]));
  OK(MPI_Comm_disconnect(&comms[0]));
  CHECK(comms[0] == MPI_COMM_NULL);
  created += kTimes + 1;
  freed += kTimes + 1;
  records("MPI_COLLECTIVE_END", 2 * kTimes + kAlive + 2);
}

void communicators(void) {
  use(MPI_COMM_WORLD, size);
  use(MPI_COMM_SELF, 1);
  copies();
  nonblocking_copies();
  parts();
  topologies();
  names();
  many();
  records("COMM_CREATE", created);
  records("COMM_DESTROY", freed);
}
