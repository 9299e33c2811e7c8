/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait and test families: null and inactive requests, ignored statuses, indices, freed requests. */
#include "conform.h"

enum { kCount = 4 };
static int next, previous;
static int in[kCount], out[kCount];

/* kCount messages around the ring; requests[0..] receives, requests[kCount..] sends. */
static void start(MPI_Request* requests) {
  for (int i = 0; i < kCount; ++i) {
    in[i] = -1;
    out[i] = 10 * rank + i;
    OK(MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
  }
  for (int i = 0; i < kCount; ++i) {
    OK(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[kCount + i]));
  }
  records("MPI_ISEND", kCount);
  records("MPI_IRECV_REQUEST", kCount);
}

static void finished(const MPI_Request* requests) {
  for (int i = 0; i < kCount; ++i) CHECK(in[i] == 10 * previous + i);
  for (int i = 0; i < 2 * kCount; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  records("MPI_ISEND_COMPLETE", kCount);
  records("MPI_IRECV", kCount);
}

static int is_empty(MPI_Status status) {
  int count = -1, cancelled = -1;
  OK(MPI_Get_count(&status, MPI_INT, &count));
  OK(MPI_Test_cancelled(&status, &cancelled));
  return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0 &&
         cancelled == 0;
}

static void nothing_to_do(void) {
  MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[3];
  int flag = 0, index = 5, count = 5, indices[3];
  OK(MPI_Wait(&none[0], &status));
  CHECK(is_empty(status));
  OK(MPI_Wait(&none[0], MPI_STATUS_IGNORE));
  OK(MPI_Test(&none[0], &flag, &status));
  CHECK(flag && is_empty(status));
  OK(MPI_Waitall(3, none, statuses));
  CHECK(is_empty(statuses[2]));
  OK(MPI_Waitall(0, none, MPI_STATUSES_IGNORE));
  OK(MPI_Waitall(0, NULL, NULL));
  flag = 0;
  OK(MPI_Testall(3, none, &flag, statuses));
  CHECK(flag && is_empty(statuses[0]));
  OK(MPI_Waitany(3, none, &index, &status));
  CHECK(index == MPI_UNDEFINED && is_empty(status));
  index = flag = 0;
  OK(MPI_Testany(3, none, &index, &flag, &status));
  CHECK(flag && index == MPI_UNDEFINED && is_empty(status));
  flag = 0;
  OK(MPI_Testany(0, none, &index, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && index == MPI_UNDEFINED);
  OK(MPI_Waitsome(3, none, &count, indices, statuses));
  CHECK(count == MPI_UNDEFINED);
  count = 5;
  OK(MPI_Testsome(3, none, &count, indices, MPI_STATUSES_IGNORE));
  CHECK(count == MPI_UNDEFINED);
  flag = 0;
  OK(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status));
  CHECK(flag && is_empty(status));
}

/* Persistent requests that were not started are complete and stay. */
static void inactive(void) {
  int value = 3, flag = 0, index = 5, count = 5, indices[2];
  MPI_Request requests[2], kept[2];
  MPI_Status status;
  OK(MPI_Send_init(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Recv_init(&value, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[1]));
  memcpy(kept, requests, sizeof kept);
  OK(MPI_Wait(&requests[0], &status));
  CHECK(is_empty(status));
  OK(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
  CHECK(flag);
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  OK(MPI_Waitany(2, requests, &index, &status));
  CHECK(index == MPI_UNDEFINED && is_empty(status));
  OK(MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE));
  CHECK(count == MPI_UNDEFINED);
  flag = 0;
  OK(MPI_Request_get_status(requests[1], &flag, &status));
  CHECK(flag && is_empty(status));
  CHECK(memcmp(kept, requests, sizeof kept) == 0);
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void wait_family(int with_statuses) {
  MPI_Request r[2 * kCount];
  MPI_Status statuses[2 * kCount], one;
  start(r);
  OK(MPI_Waitall(2 * kCount, r, with_statuses ? statuses : MPI_STATUSES_IGNORE));
  finished(r);
  for (int i = 0; with_statuses && i < kCount; ++i) {
    CHECK(statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == i);
  }

  start(r);
  for (int done = 0; done < 2 * kCount; ++done) {
    int index = -1;
    OK(MPI_Waitany(2 * kCount, r, &index, with_statuses ? &one : MPI_STATUS_IGNORE));
    CHECK(index >= 0 && index < 2 * kCount && r[index] == MPI_REQUEST_NULL);
    if (with_statuses && index < kCount) CHECK(one.MPI_SOURCE == previous && one.MPI_TAG == index);
  }
  finished(r);

  start(r);
  for (int done = 0; done < 2 * kCount;) {
    int count = -1, indices[2 * kCount];
    OK(MPI_Waitsome(2 * kCount, r, &count, indices,
                    with_statuses ? statuses : MPI_STATUSES_IGNORE));
    CHECK(count > 0);
    for (int i = 0; i < count; ++i) {
      CHECK(r[indices[i]] == MPI_REQUEST_NULL);
      if (with_statuses && indices[i] < kCount) CHECK(statuses[i].MPI_TAG == indices[i]);
    }
    done += count;
  }
  finished(r);
}

static void test_family(int with_statuses) {
  MPI_Request r[2 * kCount];
  MPI_Status statuses[2 * kCount], one;
  start(r);
  for (int i = 0; i < 2 * kCount; ++i) {
    int flag = 0;
    while (!flag) OK(MPI_Test(&r[i], &flag, with_statuses ? &one : MPI_STATUS_IGNORE));
    if (with_statuses && i < kCount) CHECK(one.MPI_SOURCE == previous && one.MPI_TAG == i);
  }
  finished(r);

  start(r);
  for (int flag = 0; !flag;) {
    OK(MPI_Testall(2 * kCount, r, &flag, with_statuses ? statuses : MPI_STATUSES_IGNORE));
  }
  finished(r);

  start(r);
  for (int done = 0; done < 2 * kCount;) {
    int index = -1, flag = 0;
    OK(MPI_Testany(2 * kCount, r, &index, &flag, with_statuses ? &one : MPI_STATUS_IGNORE));
    CHECK(flag ? r[index] == MPI_REQUEST_NULL : index == MPI_UNDEFINED);
    done += flag;
  }
  finished(r);

  start(r);
  for (int done = 0; done < 2 * kCount;) {
    int count = -1, indices[2 * kCount];
    OK(MPI_Testsome(2 * kCount, r, &count, indices,
                    with_statuses ? statuses : MPI_STATUSES_IGNORE));
    CHECK(count >= 0);
    for (int i = 0; i < count; ++i) CHECK(r[indices[i]] == MPI_REQUEST_NULL);
    done += count;
  }
  finished(r);
}

/* The status is known before the request is completed. */
static void get_status(void) {
  MPI_Request r[2 * kCount];
  start(r);
  for (int i = 0; i < 2 * kCount; ++i) {
    const MPI_Request before = r[i];
    MPI_Status status;
    for (int flag = 0; !flag;) {
      OK(MPI_Request_get_status(r[i], &flag, i % 2 ? &status : MPI_STATUS_IGNORE));
    }
    CHECK(r[i] == before);
    if (i % 2 && i < kCount) CHECK(status.MPI_TAG == i);
    int again = 0;
    OK(MPI_Request_get_status(r[i], &again, &status));
    CHECK(again);
  }
  OK(MPI_Waitall(2 * kCount, r, MPI_STATUSES_IGNORE));
  finished(r);
}

/* Requests that are freed while they are active have no completion. */
static void freed(void) {
  int value = rank, got = -1;
  MPI_Request request;
  OK(MPI_Isend(&value, 1, MPI_INT, next, 30, MPI_COMM_WORLD, &request));
  OK(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL);
  OK(MPI_Recv(&got, 1, MPI_INT, previous, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(got == previous);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  /* A receive whose request is freed takes the first message. It is recorded, so that the second
     message belongs to the second receive. */
  int first = -1;
  OK(MPI_Irecv(&first, 1, MPI_INT, previous, 31, MPI_COMM_WORLD, &request));
  OK(MPI_Request_free(&request));
  const int sent[] = {0, 1};
  OK(MPI_Send(&sent[0], 1, MPI_INT, next, 31, MPI_COMM_WORLD));
  OK(MPI_Sendrecv(&sent[1], 1, MPI_INT, next, 31, &got, 1, MPI_INT, previous, 31, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
  CHECK(first == 0 && got == 1);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  records("MPI_ISEND", 1);
  records("MPI_SEND", 2);
  records("MPI_IRECV_REQUEST", 1);
  records("MPI_IRECV", 1);
  records("MPI_RECV", 2);
  records("MPI_COLLECTIVE_END", 2);
}

/* More requests than any fixed buffer holds, in one array with null requests. */
static void large_arrays(void) {
  enum { kMany = 1000 };
  static MPI_Request r[kMany];
  static MPI_Status statuses[kMany];
  static int values[kMany];
  for (int i = 0; i < kMany; ++i) {
    r[i] = MPI_REQUEST_NULL;
    if (i % 3 == 0) OK(MPI_Irecv(&values[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &r[i]));
  }
  for (int i = 0; i < kMany; i += 3) OK(MPI_Send(&i, 1, MPI_INT, next, i, MPI_COMM_WORLD));
  int index = -1, flag = 0;
  OK(MPI_Waitany(kMany, r, &index, MPI_STATUS_IGNORE));
  CHECK(index % 3 == 0);
  while (!flag) OK(MPI_Testall(kMany, r, &flag, statuses));
  CHECK(statuses[3].MPI_SOURCE == previous && statuses[3].MPI_TAG == 3);
  for (int i = 0; i < kMany; i += 3) CHECK(values[i] == i);
  const int number = (kMany + 2) / 3;
  records("MPI_SEND", number);
  records("MPI_IRECV_REQUEST", number);
  records("MPI_IRECV", number);
}

void completion(void) {
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  nothing_to_do();
  inactive();
  for (int with_statuses = 0; with_statuses < 2; ++with_statuses) {
    wait_family(with_statuses);
    test_family(with_statuses);
  }
  get_status();
  freed();
  large_arrays();
}
