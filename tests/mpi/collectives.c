/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking collective operations: both count types, in place, derived datatypes, user-defined
   operators. */
#include "conform.h"

enum { kMost = 64 };
static int in[kMost], out[kMost], counts[kMost], offsets[kMost], byte_offsets[kMost];
static MPI_Datatype types[kMost];
static LargeCount large_counts[kMost];
static LargeOffset large_offsets[kMost];

/* out[i] = 100 * rank + i */
static void fill(void) {
  for (int i = 0; i < kMost; ++i) {
    in[i] = -1;
    out[i] = 100 * rank + i;
  }
}

static int sum_of_ranks(void) { return size * (size - 1) / 2; }

static void rooted(int root) {
  const int is_root = rank == root;
  fill();
  if (is_root) in[0] = 77;
  OK(MPI_Bcast(in, 1, MPI_INT, root, MPI_COMM_WORLD));
  CHECK(in[0] == 77);
  OK(MPI_Bcast_c(in, 0, MPI_INT, root, MPI_COMM_WORLD));
  fill();
  OK(MPI_Reduce(&rank, in, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
  CHECK(in[0] == (is_root ? sum_of_ranks() : -1));
  in[0] = rank;
  OK(MPI_Reduce_c(is_root ? MPI_IN_PLACE : in, in, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD));
  CHECK(!is_root || in[0] == size - 1);

  fill();
  OK(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, MPI_COMM_WORLD));
  for (int i = 0; is_root && i < size; ++i) CHECK(in[2 * i + 1] == 100 * i + 1);
  fill();
  in[rank] = out[0];
  OK(MPI_Gather_c(is_root ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD));
  for (int i = 0; is_root && i < size; ++i) CHECK(in[i] == 100 * i);
  /* Process i sends i values; only the root has counts. */
  fill();
  OK(MPI_Gatherv(out, rank, MPI_INT, in, is_root ? counts : NULL, is_root ? offsets : NULL, MPI_INT,
                 root, MPI_COMM_WORLD));
  for (int i = 1; is_root && i < size; ++i) CHECK(in[offsets[i]] == 100 * i);
  fill();
  OK(MPI_Gatherv_c(out, rank, MPI_INT, in, large_counts, large_offsets, MPI_INT, root,
                   MPI_COMM_WORLD));
  for (int i = 1; is_root && i < size; ++i) CHECK(in[offsets[i] + i - 1] == 100 * i + i - 1);

  fill();
  OK(MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD));
  CHECK(in[0] == 100 * root + rank);
  fill();
  OK(MPI_Scatter_c(out, 1, MPI_INT, is_root ? MPI_IN_PLACE : (void*)in, 1, MPI_INT, root,
                   MPI_COMM_WORLD));
  CHECK(is_root || in[0] == 100 * root + rank);
  fill();
  OK(MPI_Scatterv(out, is_root ? counts : NULL, is_root ? offsets : NULL, MPI_INT, in, rank,
                  MPI_INT, root, MPI_COMM_WORLD));
  CHECK(rank == 0 || in[0] == 100 * root + offsets[rank]);
  OK(MPI_Scatterv_c(out, large_counts, large_offsets, MPI_INT, in, rank, MPI_INT, root,
                    MPI_COMM_WORLD));
  records("MPI_COLLECTIVE_END", 12);
}

static void to_all(void) {
  OK(MPI_Barrier(MPI_COMM_WORLD));
  fill();
  OK(MPI_Allreduce(&rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == sum_of_ranks());
  in[0] = rank;
  OK(MPI_Allreduce_c(MPI_IN_PLACE, in, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  CHECK(in[0] == 0);
  OK(MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
  CHECK(in[size - 1] == size - 1);
  fill();
  in[rank] = rank;
  OK(MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD));
  CHECK(in[size - 1] == size - 1);
  fill();
  OK(MPI_Allgatherv(out, rank, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD));
  for (int i = 1; i < size; ++i) CHECK(in[offsets[i]] == 100 * i);
  OK(MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, large_counts, large_offsets, MPI_INT,
                      MPI_COMM_WORLD));
  fill();
  OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  fill();
  memcpy(in, out, sizeof in);
  OK(MPI_Alltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  records("MPI_COLLECTIVE_END", 9);
}

/* One value for each process, at its own offset. */
static void varying(void) {
  int ones[kMost];
  LargeCount large_ones[kMost];
  LargeOffset places[kMost], byte_places[kMost];
  for (int i = 0; i < kMost; ++i) {
    large_ones[i] = ones[i] = 1;
    places[i] = i;
    byte_places[i] = byte_offsets[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  int index[kMost];
  for (int i = 0; i < kMost; ++i) index[i] = i;
  fill();
  OK(MPI_Alltoallv(out, ones, index, MPI_INT, in, ones, index, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  fill();
  memcpy(in, out, sizeof in);
  OK(MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, large_ones, places, MPI_INT,
                     MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  fill();
  OK(MPI_Alltoallw(out, ones, byte_offsets, types, in, ones, byte_offsets, types, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  fill();
  memcpy(in, out, sizeof in);
  OK(MPI_Alltoallw_c(MPI_IN_PLACE, NULL, NULL, NULL, in, large_ones, byte_places, types,
                     MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  records("MPI_COLLECTIVE_END", 4);
}

static void reductions(void) {
  int ones[kMost];
  LargeCount large_ones[kMost];
  for (int i = 0; i < kMost; ++i) large_ones[i] = ones[i] = 1;
  const int expected = 100 * sum_of_ranks() + size * rank;
  fill();
  OK(MPI_Reduce_scatter(out, in, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == expected);
  OK(MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == expected);
  memcpy(in, out, sizeof in);
  OK(MPI_Reduce_scatter_c(MPI_IN_PLACE, in, large_ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == expected);
  memcpy(in, out, sizeof in);
  OK(MPI_Reduce_scatter_block_c(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == expected);
  OK(MPI_Scan(&rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == rank * (rank + 1) / 2);
  in[0] = rank;
  OK(MPI_Scan_c(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in[0] == rank * (rank + 1) / 2);
  OK(MPI_Exscan(&rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(rank == 0 || in[0] == rank * (rank - 1) / 2);
  in[0] = rank;
  OK(MPI_Exscan_c(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  records("MPI_COLLECTIVE_END", 8);
}

static int calls;

/* An operator that calls MPI. */
static void last_of(void* from, void* to, int* length, MPI_Datatype* type) {
  int bytes = 0;
  ++calls;
  OK(MPI_Type_size(*type, &bytes));
  memcpy(to, from, (size_t)*length * (size_t)bytes);
  (void)from;
}

static void own_operator(void) {
  MPI_Op op;
  int commutes = -1, value = rank, result = -1;
  OK(MPI_Op_create(last_of, 0, &op));
  OK(MPI_Op_commutative(op, &commutes));
  CHECK(!commutes);
  OK(MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD));
  CHECK(result == 0);
  CHECK(size == 1 ? calls == 0 : calls >= 0);
  OK(MPI_Reduce_local(&value, &result, 1, MPI_INT, op));
  CHECK(result == rank && calls >= 1);
  OK(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  records("MPI_COLLECTIVE_END", 1);
}

static void derived(void) {
  MPI_Datatype column;
  OK(MPI_Type_vector(4, 1, 4, MPI_INT, &column));
  OK(MPI_Type_commit(&column));
  fill();
  if (rank == 0) memcpy(in, out, sizeof in);
  OK(MPI_Bcast(in, 1, column, 0, MPI_COMM_WORLD));
  CHECK(in[4] == 4 && in[12] == 12 && (rank == 0 || in[1] == -1));
  OK(MPI_Type_free(&column));
  records("MPI_COLLECTIVE_END", 1);
}

void collectives(void) {
  for (int i = 0, offset = 0; i < kMost; offset += i < size ? i : 0, ++i) {
    large_counts[i] = counts[i] = i < size ? i : 0;
    large_offsets[i] = offsets[i] = offset;
  }
  for (int root = 0; root < size; ++root) rooted(root);
  to_all();
  varying();
  reductions();
  own_operator();
  derived();
}
