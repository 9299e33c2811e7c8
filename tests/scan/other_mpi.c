/* SPDX-License-Identifier: BSD-3-Clause */
/* With LIBRARY: a library that is named like Open MPI's; without: a program that is linked with it.
 */
#ifdef LIBRARY
int other_mpi(void);
int other_mpi(void) { return 0; }
#else
int other_mpi(void);
int main(void) { return other_mpi(); }
#endif
