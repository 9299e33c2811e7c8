// SPDX-License-Identifier: BSD-3-Clause
// Gives files made inside a program the mode that the user wants, whatever the program does with
// its umask. The umask is shared by all threads, so it is never changed here; modes are mended
// instead.
#pragma once

#include <string>
#include <system_error>

namespace latecomer {

// Notes the umask of this process, before its program can change it. Without this call no mode is
// mended.
void note_first_umask() noexcept;

// Mends the mode of a file or directory that was just made with all permissions that the umask
// leaves.
void mend_mode(const std::string& path) noexcept;

// Makes a directory and those above it, like std::filesystem::create_directories().
bool make_directories(const std::string& path, std::error_code& error);
// Makes only the directory itself; false if it exists already.
bool make_directory(const std::string& path, std::error_code& error);

}  // namespace latecomer
