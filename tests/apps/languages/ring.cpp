// SPDX-License-Identifier: BSD-3-Clause
// ring.c as C++.
#include "ring.c"  // NOLINT: the same calls, through the C++ compiler
