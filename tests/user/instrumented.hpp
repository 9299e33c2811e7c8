// SPDX-License-Identifier: BSD-3-Clause
// Functions that are compiled with -finstrument-functions.
#pragma once

namespace instrumented {

void leaf();
void foo();                       // calls leaf() twice
void throwing();                  // calls one that throws, and catches
int recursive(int depth);         // calls itself `depth` times
void with_region();               // enters the region "marked" of latecomer.h around leaf()
void many(int first, int count);  // calls some of 1000 functions
bool constructor_ran();           // a static object whose constructor is instrumented

}  // namespace instrumented
