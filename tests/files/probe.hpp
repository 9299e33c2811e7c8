// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions on files from a library of their own, as a program makes them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace latecomer::test::probe {

// The result of a call, and errno afterwards. It is 77 before, which a call that succeeds keeps.
struct Outcome {
  std::string call;
  long result = 0;
  int error = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
using Outcomes = std::vector<Outcome>;

// Calls of all functions of POSIX, of those on streams, and such that fail, with files in a
// directory, which must exist.
Outcomes call_posix(const std::string& directory);
Outcomes call_streams(const std::string& directory);
Outcomes call_wrongly(const std::string& directory);

// Single calls.
int open_file(const std::string& path, int flags, unsigned mode = 0600);
int open_below(int directory, const std::string& path, int flags);
long write_bytes(int descriptor, const char* bytes, std::size_t size);
long read_bytes(int descriptor, char* bytes, std::size_t size);
int close_file(int descriptor);
void close_from_to(int first, int last);  // one by one
int put_in_place(int from, int to);       // dup2()
void print_lines(FILE* stream, int lines);

// Runs `work` with the address of this library in the call chain.
void run(const std::function<void()>& work);

}  // namespace latecomer::test::probe
