// SPDX-License-Identifier: BSD-3-Clause
// Prints statements of a report that have all keys, for schema_test.py.
#include <cstdio>

#include "tests/report/full_extras.hpp"

int main() {
  const auto text = latecomer::report::text_of(latecomer::test::full_extras(), {"time", "mpi"});
  std::fputs(text.c_str(), stdout);
}
