// SPDX-License-Identifier: BSD-3-Clause
// Names that the C library's headers make of calls in optimized programs that ask for checks. The
// headers declare them there only.
#pragma once

#include <sys/types.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>

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
