/* SPDX-License-Identifier: BSD-3-Clause */
/* A statically linked program: nothing can be preloaded into it. */
int main(void) { return 0; }
