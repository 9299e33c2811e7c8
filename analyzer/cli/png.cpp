// SPDX-License-Identifier: BSD-3-Clause
// Runs rsvg-convert to draw an SVG file as pixels.
#include "analyzer/cli/png.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace latecomer::cli {
namespace {

constexpr const char* kProgram = "rsvg-convert";

std::string read_all(int from) {
  std::string bytes;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t got = read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::string> png_of(const std::string& svg) {
  const auto failed = [](const std::string& what, int error) {
    return Problem{what + ": " + std::strerror(error), "--svg makes the same drawing"};
  };
  // rsvg-convert reads from a file, so this process need not write and read at the same time.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> input(std::tmpfile(), std::fclose);
  if (input == nullptr || std::fwrite(svg.data(), 1, svg.size(), input.get()) != svg.size() ||
      std::fflush(input.get()) != 0 || lseek(fileno(input.get()), 0, SEEK_SET) != 0) {
    return failed("cannot write a temporary file", errno);
  }
  std::array<int, 2> output{};
  if (pipe(output.data()) != 0) return failed("cannot make a pipe", errno);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, output[0]);
  posix_spawn_file_actions_addclose(&files, output[1]);
  std::array<std::string, 4> words = {kProgram, "--format=png", "--zoom=2",
                                      "--background-color=white"};
  std::array<char*, words.size() + 1> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t child = 0;
  const int error = posix_spawnp(&child, kProgram, &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(output[1]);
  if (error != 0) {
    close(output[0]);
    if (error != ENOENT) return failed(std::string("cannot run ") + kProgram, error);
    return Problem{"--png needs rsvg-convert, which is not installed",
                   "install the package librsvg2-bin (librsvg2-tools, librsvg), or take --svg"};
  }
  std::string png = read_all(output[0]);
  close(output[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || png.empty()) {
    return Problem{"rsvg-convert made no picture of the drawing", "--svg makes the same drawing"};
  }
  return png;
}

}  // namespace latecomer::cli
