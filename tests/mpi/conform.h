/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for the programs that check MPI's behaviour, which must be the same with and without the
   tracer. Only the first error is printed, and a final "ok" by rank 0. */
#ifndef LATECOMER_TESTS_CONFORM_H
#define LATECOMER_TESTS_CONFORM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "before_mpi_4.h"

extern int rank, size;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank, #condition); \
      PMPI_Abort(MPI_COMM_WORLD, 3);                                                 \
    }                                                                                \
  } while (0)

/* The call returns MPI_SUCCESS. */
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* The call fails with an error of this class. */
#define FAILS(expected, call) CHECK(error_class(call) == (expected))
int error_class(int code);

/* Adds `count` records of a kind ("MPI_SEND") that this process makes. The counts are summed over
   all processes and compared with the archive. A kind that is never mentioned is not compared. */
void records(const char* kind, long count);

/* Writes the counts given to records(); before MPI_Finalize. */
void write_expected(void);

/* Areas that are tested: one for each row of the table in conform.c. */
void attributes(void);
void cancelling(void);
void collectives(void);
void communicators(void);
void completion(void);
void datatypes(void);
void errors(void);
void files(void);
void generalized(void);
void intercommunicators(void);
void neighbors(void);
void nonblocking(void);
void one_sided(void);
void partitioned(void);
void persistent(void);
void persistent_collectives(void);
void point_to_point(void);
void probes(void);

#endif
