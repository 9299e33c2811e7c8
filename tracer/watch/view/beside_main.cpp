// SPDX-License-Identifier: BSD-3-Clause
// latecomer-beside: becomes a program of the user, and starts the agent of its host before. Started
// by `scan --watch` on each host of a run. It uses no library but the C library, and whatever fails
// here, the program runs.
//
//   latecomer-beside AGENT EXPERIMENT HOST MEMORY OPTIONS -- PROGRAM [arguments]
//
// HOST is that of scan, which has an agent. MEMORY is the directory for records in memory.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr int kWords = 6;  // before the --
constexpr const char* kForever = "100000000";

// The first process of a host makes the file.
bool is_first(const std::string& experiment, const std::string& host) {
  const std::string mark = experiment + "/agents/on-" + host;
  const int made = open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0) return false;
  close(made);
  return true;
}

// Starts the agent, which belongs to nobody: the launcher waits for the program only.
void start_agent(char** words, const std::string& experiment, const std::string& host) {
  const std::string memory = words[4], gather = words[5], process = std::to_string(getpid());
  const bool made = !memory.empty() && mkdir(memory.c_str(), 0700) == 0;
  const std::string log = experiment + "/agents/log-" + host;
  const pid_t child = fork();
  if (child != 0) {
    // The program may wait for any child of its own, and this one is none.
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(out >= 0 ? out : nothing, STDERR_FILENO);
  }
  // A launcher waits for the end of pipes and sockets that its processes have.
  const long most = sysconf(_SC_OPEN_MAX);
  if (close_range(STDERR_FILENO + 1, ~0U, 0) != 0) {
    for (int number = STDERR_FILENO + 1; number < (most > 0 && most < 65536 ? most : 65536);
         ++number)
      close(number);
  }
  std::array<const char*, 16> agent = {words[1],        "--agent",  "--quiet",
                                       "--wait",        kForever,   "--beside",
                                       process.c_str(), "--gather", gather.c_str()};
  std::size_t next = 9;
  if (made) {
    agent[next++] = "--remove";
    agent[next++] = memory.c_str();
  }
  agent[next++] = experiment.c_str();
  agent[next] = nullptr;
  execv(words[1],
        const_cast<char**>(agent.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  std::fprintf(stderr, "note: cannot start %s: %s\n", words[1], std::strerror(errno));
  _exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < kWords + 2 || std::strcmp(argv[kWords], "--") != 0) {
    std::fputs("error: latecomer-beside is a part of scan\nhint:  scan --watch\n", stderr);
    return 2;
  }
  std::array<char, 256> host{};
  const std::string experiment = argv[2];
  if (gethostname(host.data(), host.size() - 1) == 0 && std::strcmp(host.data(), argv[3]) != 0 &&
      is_first(experiment, host.data()))
    start_agent(argv, experiment, host.data());
  char** const program = argv + kWords + 1;
  execvp(program[0], program);
  const int error = errno;
  std::fprintf(stderr, "error: cannot start %s: %s\n", program[0], std::strerror(error));
  return error == ENOENT ? 127 : 126;
}
