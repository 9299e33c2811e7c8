/* SPDX-License-Identifier: BSD-3-Clause */
/* A statically linked program, into which nothing can be preloaded. */
int main(void) { return 0; }
