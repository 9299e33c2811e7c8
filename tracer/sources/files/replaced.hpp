// SPDX-License-Identifier: BSD-3-Clause
// Includes of the files with replaced functions.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "tracer/sources/files/checked_names.hpp"
#include "tracer/sources/files/file_call.hpp"
#include "tracer/sources/files/next_functions.hpp"

#define LATECOMER_REPLACED extern "C" [[gnu::visibility("default")]]
