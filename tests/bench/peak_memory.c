/* SPDX-License-Identifier: BSD-3-Clause
   peak_memory FILE COMMAND...: runs the command and appends its peak resident memory in KiB to the
   file. It runs between mpiexec and a process, so that every process is measured separately. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 126;
  char line[32];
  const int length = snprintf(line, sizeof line, "%ld\n", usage.ru_maxrss);
  const int file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
  /* Each line is a single short write, so that lines of several processes do not mix. */
  if (file < 0 || write(file, line, (size_t)length) != length) return 126;
  close(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
