// SPDX-License-Identifier: BSD-3-Clause
// Functions that block: what they return and do. The output is the same with and without the
// measurement library.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec moment = {0, 5000000};
static int sockets[2];

static void say(const char* what, long result) {
  printf("%s: %ld errno %d\n", what, result, errno);
  errno = 0;
}

static void sleeps(void) {
  struct timespec rest = {7, 7};
  say("usleep", usleep(5000));
  say("nanosleep", nanosleep(&moment, &rest));
  say("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL));
  say("thrd_sleep", thrd_sleep(&moment, NULL));
  say("sleep", sleep(0));
  const struct timespec bad = {0, -1};
  say("nanosleep of nothing", nanosleep(&bad, NULL));
  printf("rest %ld %ld\n", (long)rest.tv_sec, rest.tv_nsec);
}

static void events(void) {
  struct pollfd one = {sockets[0], POLLIN, 0};
  struct timeval short_time = {0, 5000};
  struct epoll_event event = {EPOLLIN, {0}};
  fd_set set;
  say("poll", poll(&one, 1, 5));
  say("ppoll", ppoll(&one, 1, &moment, NULL));
  FD_ZERO(&set);
  FD_SET(sockets[0], &set);
  say("select", select(sockets[0] + 1, &set, NULL, NULL, &short_time));
  FD_SET(sockets[0], &set);
  say("pselect", pselect(sockets[0] + 1, &set, NULL, NULL, &moment, NULL));
  const int all = epoll_create1(0);
  epoll_ctl(all, EPOLL_CTL_ADD, sockets[0], &event);
  say("epoll_wait", epoll_wait(all, &event, 1, 5));
  say("epoll_pwait", epoll_pwait(all, &event, 1, 5, NULL));
  close(all);
  const int semaphores = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf down = {0, -1, 0};
  say("semtimedop", semtimedop(semaphores, &down, 1, &moment));
  semctl(semaphores, 0, IPC_RMID);
}

static void data(void) {
  char bytes[4] = "";
  struct iovec piece = {bytes, sizeof bytes};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  const struct timeval short_time = {0, 5000};
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
  say("recv", recv(sockets[0], bytes, sizeof bytes, 0));
  say("recvfrom", recvfrom(sockets[0], bytes, sizeof bytes, 0, NULL, NULL));
  say("recvmsg", recvmsg(sockets[0], &message, 0));
  say("read", read(sockets[0], bytes, sizeof bytes));
  say("readv", readv(sockets[0], &piece, 1));
  say("send", send(sockets[1], "abc", 3, 0));
  say("recv", recv(sockets[0], bytes, sizeof bytes, 0));
  printf("bytes %.3s\n", bytes);
}

static void children(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    usleep(5000);
    _exit(3);
  }
  say("waitpid", waitpid(child, &status, 0) == child);
  say("status", WEXITSTATUS(status));
  // Without the handlers of the C library.
  child = (pid_t)syscall(SYS_fork);
  if (child == 0) {
    struct pollfd none = {-1, 0, 0};
    usleep(5000);
    poll(&none, 1, 5);
    _exit(4);
  }
  siginfo_t about;
  say("waitid", waitid(P_PID, (id_t)child, &about, WEXITED));
  say("status", about.si_status);
  say("wait without children", wait(&status));
  say("system", system("sleep 0.005; exit 5"));
}

static volatile sig_atomic_t handled;
static void in_handler(int signal) {
  (void)signal;
  const int saved = errno;
  nanosleep(&moment, NULL);
  poll(NULL, 0, 5);
  errno = saved;
  handled = 1;
}

static void signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = in_handler;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval soon = {{0, 0}, {0, 5000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  say("interrupted", usleep(2000000));
  handled = 0;
  setitimer(ITIMER_REAL, &soon, NULL);
  while (!handled) free(malloc(100));
  say("handled", handled);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  say("sigtimedwait", sigtimedwait(&set, NULL, &moment));
  raise(SIGUSR1);
  int signal = 0;
  say("sigwait", sigwait(&set, &signal));
  say("signal", signal == SIGUSR1);
}

static void* sleeper(void* unused) {
  for (;;) usleep(1000000);
  return unused;
}
static void* child_waiter(void* child) {
  waitpid(*(pid_t*)child, NULL, 0);
  return NULL;
}

static void cancellation(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, sleeper, NULL);
  usleep(5000);
  pthread_cancel(thread);
  say("join", pthread_join(thread, &result));
  say("cancelled", result == PTHREAD_CANCELED);
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  pthread_create(&thread, NULL, child_waiter, &child);
  usleep(5000);
  pthread_cancel(thread);
  say("join", pthread_join(thread, &result));
  say("cancelled", result == PTHREAD_CANCELED);
  kill(child, SIGKILL);
  say("waitpid", waitpid(child, NULL, 0) == child);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) abort();
  errno = 0;
  sleeps();
  events();
  data();
  children();
  signals();
  cancellation();
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
