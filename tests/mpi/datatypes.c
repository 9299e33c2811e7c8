/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of derived datatypes, packed data, and MPI's queries about datatypes. */
#include "conform.h"

static int next, previous;

/* Sends data of one layout and receives it in another. */
static void exchange(const void* out, int count, MPI_Datatype send, void* in, int room,
                     MPI_Datatype receive, int elements) {
  MPI_Status status;
  int got = -1, units = -1;
  MPI_Count large = -1;
  OK(MPI_Sendrecv(out, count, send, next, 60, in, room, receive, previous, 60, MPI_COMM_WORLD,
                  &status));
  OK(MPI_Get_elements(&status, receive, &got));
  CHECK(got == elements);
  OK(MPI_Get_elements_x(&status, receive, &large));
  CHECK(large == elements);
  OK(MPI_Get_count(&status, MPI_INT, &units));
  CHECK(units == elements);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
}

static void layouts(void) {
  int out[24], in[24], size_of = -1;
  for (int i = 0; i < 24; ++i) out[i] = 100 * rank + i;
  MPI_Datatype vector, indexed, subarray, resized, structure, copy;
  OK(MPI_Type_vector(4, 1, 3, MPI_INT, &vector));
  OK(MPI_Type_commit(&vector));
  OK(MPI_Type_size(vector, &size_of));
  CHECK(size_of == 4 * (int)sizeof(int));
  memset(in, -1, sizeof in);
  exchange(out, 2, vector, in, 24, MPI_INT, 8);
  CHECK(in[0] == 100 * previous && in[1] == in[0] + 3 && in[8] == -1);

  OK(MPI_Type_indexed(2, (int[]){1, 3}, (int[]){0, 5}, MPI_INT, &indexed));
  OK(MPI_Type_commit(&indexed));
  exchange(out, 4, MPI_INT, in, 1, indexed, 4);
  CHECK(in[0] == 100 * previous && in[7] == in[0] + 3);

  OK(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT,
                              &subarray));
  OK(MPI_Type_commit(&subarray));
  exchange(out, 1, subarray, in, 24, MPI_INT, 4);
  CHECK(in[0] == 100 * previous + 7 && in[3] == 100 * previous + 14);

  OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &resized));
  OK(MPI_Type_commit(&resized));
  exchange(out, 5, resized, in, 24, MPI_INT, 5);
  CHECK(in[4] == 100 * previous + 8);

  OK(MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 16},
                            (MPI_Datatype[]){MPI_INT, MPI_INT}, &structure));
  OK(MPI_Type_commit(&structure));
  OK(MPI_Type_dup(structure, &copy));
  exchange(out, 1, copy, in, 1, structure, 3);
  CHECK(in[5] == 100 * previous + 5);

  /* The message holds part of an element only. */
  MPI_Status status;
  int count = 0;
  OK(MPI_Sendrecv(out, 2, MPI_INT, next, 61, in, 1, structure, previous, 61, MPI_COMM_WORLD,
                  &status));
  OK(MPI_Get_count(&status, structure, &count));
  CHECK(count == MPI_UNDEFINED);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
  MPI_Datatype* all[] = {&vector, &indexed, &subarray, &resized, &structure, &copy};
  for (int i = 0; i < 6; ++i) {
    OK(MPI_Type_free(all[i]));
    CHECK(*all[i] == MPI_DATATYPE_NULL);
  }
}

static void packed(void) {
  char buffer[64];
  int position = 0, got = -1, value = rank;
  double number = 0.5 + rank;
  OK(MPI_Pack(&value, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  OK(MPI_Pack(&number, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  MPI_Status status;
  OK(MPI_Sendrecv_replace(buffer, position, MPI_PACKED, next, 62, previous, 62, MPI_COMM_WORLD,
                          &status));
  OK(MPI_Get_count(&status, MPI_PACKED, &got));
  CHECK(got == position);
  position = 0;
  OK(MPI_Unpack(buffer, sizeof buffer, &position, &value, 1, MPI_INT, MPI_COMM_WORLD));
  OK(MPI_Unpack(buffer, sizeof buffer, &position, &number, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  CHECK(value == previous && number == 0.5 + previous);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
}

/* Pair types, and others whose handles differ in form from those of simple types. */
static void special(void) {
  struct {
    double value;
    int index;
  } out = {rank, rank}, in = {-1, -1};
  MPI_Datatype real;
  OK(MPI_Sendrecv(&out, 1, MPI_DOUBLE_INT, next, 63, &in, 1, MPI_DOUBLE_INT, previous, 63,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in.value == previous && in.index == previous);
  OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &real));
  in.value = -1;
  OK(MPI_Sendrecv(&out.value, 1, real, next, 63, &in.value, 1, MPI_DOUBLE, previous, 63,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in.value == previous);
  records("MPI_SEND", 2);
  records("MPI_RECV", 2);
}

void datatypes(void) {
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  layouts();
  packed();
  special();
}
