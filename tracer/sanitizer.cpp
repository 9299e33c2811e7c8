// SPDX-License-Identifier: BSD-3-Clause
// Lets programs with AddressSanitizer run. Its shared runtime ends a program in which another
// library comes first, and preloaded ones do. The runtime calls a function of this name for
// options, and uses its own only if there is no other. A function in the program comes before this
// one (scan recognizes such programs).

extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();  // NOLINT
const char* __asan_default_options() { return "verify_asan_link_order=0"; }      // NOLINT
