// SPDX-License-Identifier: BSD-3-Clause
// The shared runtime of AddressSanitizer ends a program in which another library comes first, as
// what is preloaded does. It asks for options by this name, and takes its own answer only where
// nobody else has one; a program's own answer comes before ours (scan knows such programs).

extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();  // NOLINT
const char* __asan_default_options() { return "verify_asan_link_order=0"; }      // NOLINT
