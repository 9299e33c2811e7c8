/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: how often, when and with which arguments their callbacks are called. */
#include "conform.h"

static int copied, deleted;
static int refuse;

static int copy_it(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  int n = -1;
  OK(MPI_Comm_size(comm, &n)); /* an MPI call inside MPI */
  CHECK(extra == &copied && n >= 1 && key != MPI_KEYVAL_INVALID);
  if (refuse) return MPI_ERR_OTHER;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete_it(MPI_Comm comm, int key, void* value, void* extra) {
  CHECK(extra == &copied && value == &deleted);
  ++deleted;
  (void)comm;
  (void)key;
  return MPI_SUCCESS;
}

static void of_communicators(void) {
  int key = MPI_KEYVAL_INVALID, flag = -1;
  void* value = NULL;
  MPI_Comm base, copy, part;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &base));
  OK(MPI_Comm_create_keyval(copy_it, delete_it, &key, &copied));
  OK(MPI_Comm_get_attr(base, key, &value, &flag));
  CHECK(!flag);
  OK(MPI_Comm_set_attr(base, key, &deleted));
  OK(MPI_Comm_get_attr(base, key, &value, &flag));
  CHECK(flag && value == &deleted && copied == 0);
  OK(MPI_Comm_dup(base, &copy));
  CHECK(copied == 1);
  OK(MPI_Comm_get_attr(copy, key, &value, &flag));
  CHECK(flag && value == &deleted);
  OK(MPI_Comm_split(base, 0, rank, &part)); /* copies nothing */
  CHECK(copied == 1 && deleted == 0);
  OK(MPI_Comm_free(&part));
  OK(MPI_Comm_free(&copy));
  CHECK(deleted == 1);
  MPI_Request request;
  OK(MPI_Comm_idup(base, &copy, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(copied == 2);
  OK(MPI_Comm_free(&copy));
  CHECK(deleted == 2);
  /* A communicator whose attributes cannot be copied is not made. */
  OK(MPI_Comm_set_errhandler(base, MPI_ERRORS_RETURN));
  refuse = 1;
  CHECK(MPI_Comm_dup(base, &copy) != MPI_SUCCESS);
  refuse = 0;
  OK(MPI_Comm_delete_attr(base, key));
  CHECK(deleted == 3);
  OK(MPI_Comm_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID);
  OK(MPI_Comm_free(&base));
  CHECK(deleted == 3 && copied == 2);
}

static void predefined(void) {
  int flag = 0, *value = NULL;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  CHECK(flag && *value >= 32767);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
  CHECK(!flag || *value == 0);
}

static void of_types(void) {
  int key = MPI_KEYVAL_INVALID, flag = 0;
  void* value = NULL;
  MPI_Datatype type, copy;
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
  OK(MPI_Type_set_attr(type, key, &flag));
  OK(MPI_Type_dup(type, &copy));
  OK(MPI_Type_get_attr(copy, key, &value, &flag));
  CHECK(flag && value == &flag);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&copy));
  OK(MPI_Type_free_keyval(&key));
}

void attributes(void) {
  of_communicators();
  predefined();
  of_types();
  records("MPI_COLLECTIVE_END", 7);
  records("COMM_CREATE", 4);
  records("COMM_DESTROY", 4);
}
