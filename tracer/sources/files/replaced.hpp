// SPDX-License-Identifier: BSD-3-Clause
// Includes of the files with replaced functions: their tools, and the C library's checked names,
// which its headers only declare for optimized programs.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "tracer/sources/files/file_call.hpp"
#include "tracer/sources/files/next_functions.hpp"

#define LATECOMER_REPLACED extern "C" [[gnu::visibility("default")]]

extern "C" {
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int directory, const char* path, int flags);
int __openat64_2(int directory, const char* path, int flags);
ssize_t __read_chk(int descriptor, void* to, std::size_t size, std::size_t room);
ssize_t __pread_chk(int descriptor, void* to, std::size_t size, off_t offset, std::size_t room);
ssize_t __pread64_chk(int descriptor, void* to, std::size_t size, off64_t offset, std::size_t room);
std::size_t __fread_chk(void* to, std::size_t room, std::size_t size, std::size_t items,
                        FILE* stream);
std::size_t __fread_unlocked_chk(void* to, std::size_t room, std::size_t size, std::size_t items,
                                 FILE* stream);
char* __fgets_chk(char* to, std::size_t room, int size, FILE* stream);
char* __fgets_unlocked_chk(char* to, std::size_t room, int size, FILE* stream);
int __printf_chk(int flag, const char* format, ...);
int __fprintf_chk(FILE* stream, int flag, const char* format, ...);
int __vprintf_chk(int flag, const char* format, std::va_list values);
int __vfprintf_chk(FILE* stream, int flag, const char* format, std::va_list values);
}
