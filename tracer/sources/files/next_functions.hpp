// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the functions on files that come after those of the measurement library: usually the
// C library's.
#pragma once

#include <cstddef>

#include "tracer/state/process.hpp"

namespace latecomer::files {

// Each function that is replaced. The C library has more names than there are functions.
// clang-format would indent the list anew each time.
// clang-format off
#define LATECOMER_FILE_SYMBOLS(X) \
  X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64) X(__open_2) X(__open64_2) \
  X(__openat_2) X(__openat64_2) X(close) X(close_range) X(closefrom) X(closedir) X(pclose) \
  X(dup2) X(dup3) X(read) X(__read_chk) X(write) X(pread) X(pread64) X(__pread_chk) \
  X(__pread64_chk) X(pwrite) X(pwrite64) X(readv) X(writev) X(preadv) X(preadv64) X(pwritev) \
  X(pwritev64) X(fsync) X(fdatasync) X(ftruncate) X(ftruncate64) X(lseek) X(lseek64) X(fopen) \
  X(fopen64) X(freopen) X(freopen64) X(fclose) X(fread) X(fread_unlocked) X(__fread_chk) \
  X(__fread_unlocked_chk) X(fwrite) X(fwrite_unlocked) X(fflush) X(fflush_unlocked) X(fseek) \
  X(fseeko) X(fseeko64) X(rewind) X(fgets) X(fgets_unlocked) X(__fgets_chk) \
  X(__fgets_unlocked_chk) X(getline) X(getdelim) X(__getdelim) X(fputs) X(fputs_unlocked) \
  X(puts) X(vfprintf) X(__vfprintf_chk)
// clang-format on

enum class Symbol : std::size_t {
#define LATECOMER_ONE(name) k_##name,
  LATECOMER_FILE_SYMBOLS(LATECOMER_ONE)
#undef LATECOMER_ONE
      kCount
};

// Finds a function by its name. It is found when the library is loaded: later, a search would
// discard the program's own error of dlopen() (dlerror). Only constructors that run before ours
// come here.
void* find_next(Symbol symbol);

// The function as a pointer of its type; null if no library has it.
template <typename Function>
[[gnu::always_inline]] inline Function* next(Symbol symbol) {
  void* known =
      process().files.next[static_cast<std::size_t>(symbol)].load(std::memory_order_relaxed);
  if (known == nullptr) [[unlikely]]
    known = find_next(symbol);
  return reinterpret_cast<Function*>(known);
}

// The next function of the same name and type, as in LATECOMER_NEXT(read)(descriptor, to, size).
#define LATECOMER_NEXT(name) \
  ::latecomer::files::next<decltype(::name)>(::latecomer::files::Symbol::k_##name)

}  // namespace latecomer::files
