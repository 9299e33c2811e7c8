// SPDX-License-Identifier: BSD-3-Clause
// Includes and macros of the files with replaced functions that block.
#pragma once

#include "tracer/sources/blocking/blocking_call.hpp"
#include "tracer/sources/blocking/next_blocking.hpp"

#define LATECOMER_REPLACED extern "C" [[gnu::visibility("default")]]

// Calls the next function of the same type, which `symbol` is, and notes it as `name`.
#define LATECOMER_BLOCKING_AS(name, symbol, ...)                                            \
  ::latecomer::blocking::blocking_call(                                                     \
      ::latecomer::blocking::Function::k_##name, ::latecomer::blocking::this_place(), [&] { \
        return ::latecomer::blocking::next<decltype(::symbol)>(                             \
            ::latecomer::blocking::Symbol::k_##symbol)(__VA_ARGS__);                        \
      })
#define LATECOMER_BLOCKING(name, ...) LATECOMER_BLOCKING_AS(name, name, __VA_ARGS__)
