/* SPDX-License-Identifier: BSD-3-Clause */
/* A statically linked program, which cannot preload anything. */
int main(void) { return 0; }
