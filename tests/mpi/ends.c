/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are allowed before MPI_Init and after MPI_Finalize; exit handlers; child processes
   made with fork and exec, system and popen; callbacks in MPI_Finalize. */
#include <sys/wait.h>
#include <unistd.h>

#include "conform.h"

static int deleted;

static void anytime(int initialized, int finalized) {
  int flag = -1, version = 0, subversion = -1, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
#if MPI_VERSION >= 4
  MPI_Info info;
#endif
  OK(MPI_Initialized(&flag));
  CHECK(flag == initialized);
  OK(MPI_Finalized(&flag));
  CHECK(flag == finalized);
  OK(MPI_Get_version(&version, &subversion));
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  OK(MPI_Get_library_version(text, &length));
  CHECK(length > 0);
#if MPI_VERSION >= 4
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "key", "value"));
  OK(MPI_Info_free(&info));
#endif
}

static int delete_it(MPI_Comm comm, int key, void* value, void* extra) {
  /* MPI still works in this callback. */
  int flag = 1, n = 0;
  MPI_Comm copy;
  OK(MPI_Finalized(&flag));
  OK(MPI_Comm_size(MPI_COMM_SELF, &n));
  OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  OK(MPI_Comm_free(&copy));
  CHECK(!flag && n == 1);
  ++deleted;
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  return MPI_SUCCESS;
}

static void at_the_end(void) {
  anytime(1, 1);
  CHECK(deleted == 1);
  if (rank == 0) {
    puts("ok");
    fflush(stdout);
  }
}

/* Children neither record nor disturb what this process records. */
static void children(const char* self) {
  int status = -1;
  char line[64] = "";
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int flag = 0;
    _exit(MPI_Initialized(&flag) == MPI_SUCCESS && flag ? 7 : 8);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  const pid_t other = fork();
  CHECK(other >= 0);
  if (other == 0) {
    execl(self, self, "child", (char*)NULL);
    _exit(9);
  }
  CHECK(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 5);
  CHECK(system("exit 3") == 3 << 8);
  FILE* pipe = popen("echo $((40 + 2))", "r");
  CHECK(pipe != NULL && fgets(line, sizeof line, pipe) != NULL && strcmp(line, "42\n") == 0);
  CHECK(pclose(pipe) == 0);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "child") == 0) {
    anytime(0, 0);
    return 5;
  }
  anytime(0, 0);
  atexit(at_the_end);
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  anytime(1, 0);
  OK(MPI_Pcontrol(2));
  int key = MPI_KEYVAL_INVALID;
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_it, &key, NULL));
  OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &key));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  children(argv[0]);
  /* Recording is off in between. */
  OK(MPI_Pcontrol(0));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  MPI_Comm copy;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  OK(MPI_Pcontrol(1));
  OK(MPI_Barrier(copy));
  OK(MPI_Comm_free(&copy));
  records("MPI_COLLECTIVE_END", 5 + 2); /* 2 of them in delete_it() */
  write_expected();
  OK(MPI_Finalize());
  anytime(1, 1);
  return 0;
}
