// SPDX-License-Identifier: BSD-3-Clause
// What tells this library from others: its version, for people with a debugger and for scan.

extern "C" [[gnu::visibility("default")]] const char* latecomer_version();
const char* latecomer_version() { return LATECOMER_VERSION; }
