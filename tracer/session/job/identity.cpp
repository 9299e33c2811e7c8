// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc; nothing in here fails, unknown parts stay empty.
#include "tracer/session/job/identity.hpp"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "archive/settings.hpp"

namespace latecomer::session {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string node_identity() {
  if (setting_given(SettingId::kNode)) return setting_text(SettingId::kNode);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) return host_name();
  struct stat time_namespace {};
  if (stat("/proc/self/ns/time", &time_namespace) == 0) {
    boot += '.' + std::to_string(time_namespace.st_ino);
  }
  return boot;
}

record::ProgramDefinition program() {
  record::ProgramDefinition found;
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) found.path.assign(path.data(), static_cast<std::size_t>(length));
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string argument;
  for (bool name = true; std::getline(file, argument, '\0'); name = false) {
    if (!name) found.arguments.push_back(argument);
  }
  return found;
}

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace latecomer::session
