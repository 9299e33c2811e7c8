// SPDX-License-Identifier: BSD-3-Clause
// Runs other programs of Latecomer, which are installed into the same directory.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analyzer/cli/commands.hpp"

namespace latecomer::cli {

Problem run_program(const std::string& name, const std::vector<std::string>& words) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name;
  std::vector<std::string> all = {program.string()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (auto& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return {"cannot run " + program.string() + ": " + std::strerror(errno),
          "is Latecomer installed completely?"};
}

}  // namespace latecomer::cli
