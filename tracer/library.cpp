// SPDX-License-Identifier: BSD-3-Clause
// The version of the library, for users of a debugger and for scan.

#include "archive/version.hpp"

extern "C" [[gnu::visibility("default")]] const char* latecomer_version();
const char* latecomer_version() { return LATECOMER_VERSION; }
