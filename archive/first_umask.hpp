// SPDX-License-Identifier: BSD-3-Clause
// What is made inside of a program has the mode that the user wants, whatever the program does with
// its umask: it counts for all threads, so it is never changed here, and modes are mended.
#pragma once

#include <string>
#include <system_error>

namespace latecomer {

// Notes the umask of this process, before its program can change it. Without it nothing is mended.
void note_first_umask() noexcept;

// Of a file or directory that was just made with all permissions that the umask leaves.
void mend_mode(const std::string& path) noexcept;

// A directory and those above it, like std::filesystem::create_directories().
bool make_directories(const std::string& path, std::error_code& error);
// Only itself; false where it is there already.
bool make_directory(const std::string& path, std::error_code& error);

}  // namespace latecomer
