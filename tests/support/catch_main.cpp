// SPDX-License-Identifier: BSD-3-Clause
// main() of the unit tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
