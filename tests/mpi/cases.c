/* SPDX-License-Identifier: BSD-3-Clause */
/* Many small cases, each of which prints a line with the return value of a call and its results.
   With and without the tracer all lines must be the same. */
#include <math.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform.h"

static char* text;
static size_t used, room;

/* Adds one line of this process, printed at the end. */
#define LINE(...)                                                        \
  do {                                                                   \
    if (used + 512 > room) text = realloc(text, room = 2 * room + 4096); \
    if (text == NULL) PMPI_Abort(MPI_COMM_WORLD, 4);                     \
    used += (size_t)snprintf(text + used, 256, "%d ", rank);             \
    used += (size_t)snprintf(text + used, 250, __VA_ARGS__);             \
    text[used++] = '\n';                                                 \
  } while (0)

static unsigned long sum_of(const void* data, size_t bytes) {
  unsigned long h = 5381;
  for (size_t i = 0; i < bytes; ++i) h = h * 33 + ((const unsigned char*)data)[i];
  return h;
}

/* Every predefined operation with every kind of type, in four collective calls. */
static void reductions(void) {
  const MPI_Datatype types[] = {MPI_INT,   MPI_UNSIGNED_LONG, MPI_SHORT, MPI_DOUBLE,
                                MPI_FLOAT, MPI_BYTE,          MPI_2INT,  MPI_DOUBLE_INT};
  const char* const type_names[] = {"int",   "ulong", "short", "double",
                                    "float", "byte",  "2int",  "double_int"};
  const MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                        MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
  const char* const op_names[] = {"max", "min", "sum",  "prod", "land",   "band",
                                  "lor", "bor", "lxor", "bxor", "maxloc", "minloc"};
  for (int t = 0; t < 8; ++t) {
    for (int o = 0; o < 12; ++o) {
      const int pair = t >= 6, bits = o == 5 || o == 7 || o == 9;
      if (pair != (o >= 10) || ((t == 3 || t == 4) && o > 3) || (t == 5 && !bits)) continue;
      union {
        int i[4];
        unsigned long ul[2];
        short s[8];
        double d[2];
        float f[4];
        struct {
          double value;
          int index;
        } di;
        unsigned char bytes[16];
      } in, out[4];
      memset(&in, 0, sizeof in);
      memset(out, 0, sizeof out);
      if (t == 0 || t == 6) in.i[0] = rank + 2, in.i[1] = rank;
      if (t == 1) in.ul[0] = (unsigned long)rank + 3;
      if (t == 2) in.s[0] = (short)(rank + 2);
      if (t == 3) in.d[0] = rank + 1.5;
      if (t == 4) in.f[0] = (float)rank + 0.5f;
      if (t == 5) in.bytes[0] = (unsigned char)(rank + 1);
      if (t == 7) in.di.value = 10 - rank, in.di.index = rank;
      const int a = MPI_Allreduce(&in, &out[0], 1, types[t], ops[o], MPI_COMM_WORLD);
      const int b = MPI_Reduce(&in, &out[1], 1, types[t], ops[o], size - 1, MPI_COMM_WORLD);
      const int c = MPI_Scan(&in, &out[2], 1, types[t], ops[o], MPI_COMM_WORLD);
      MPI_Request request;
      const int d = MPI_Iallreduce(&in, &out[3], 1, types[t], ops[o], MPI_COMM_WORLD, &request);
      const int e = MPI_Wait(&request, MPI_STATUS_IGNORE);
      LINE("reduce %s %s: %d %d %d %d %d: %lx %lx %lx %lx", op_names[o], type_names[t], a, b, c, d,
           e, sum_of(&out[0], 16), rank == size - 1 ? sum_of(&out[1], 16) : 0, sum_of(&out[2], 16),
           sum_of(&out[3], 16));
    }
  }
}

enum { kTypes = 10 };
static const char* const kTypeNames[kTypes] = {"contiguous", "vector", "hvector", "indexed",
                                               "hindexed",   "block",  "struct",  "subarray",
                                               "resized",    "dup"};

static MPI_Datatype make_type(int which) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int lengths[] = {2, 1}, places[] = {0, 5}, sizes[] = {4, 4}, parts[] = {2, 3},
            starts[] = {1, 0};
  const MPI_Aint bytes[] = {0, 20};
  const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
  switch (which) {
    case 0:
      MPI_Type_contiguous(3, MPI_INT, &type);
      break;
    case 1:
      MPI_Type_vector(2, 1, 3, MPI_INT, &type);
      break;
    case 2:
      MPI_Type_create_hvector(3, 1, 8, MPI_INT, &type);
      break;
    case 3:
      MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
      break;
    case 4:
      MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type);
      break;
    case 5:
      MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type);
      break;
    case 6:
      MPI_Type_create_struct(2, lengths, bytes, ints, &type);
      break;
    case 7:
      MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
      break;
    case 8:
      MPI_Type_create_resized(MPI_INT, 0, 12, &type);
      break;
    default:
      MPI_Type_dup(MPI_INT, &type);
      break;
  }
  MPI_Type_commit(&type);
  return type;
}

enum { kModes = 12 };
static const char* const kModeNames[kModes] = {"send",    "bsend",   "ssend",   "sendrecv",
                                               "isend",   "ibsend",  "issend",  "send_i",
                                               "bsend_i", "ssend_i", "replace", "mprobe"};

/* Messages around the ring with every way to send and every way to make a type. */
static void messages(void) {
  static char space[1 << 16];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Buffer_attach(space, sizeof space);
  for (int t = 0; t < kTypes; ++t) {
    MPI_Datatype type = make_type(t);
    for (int mode = 0; mode < kModes; ++mode) {
      int out[64], in[64], count = -1, elements = -1, done = 0, result = -1;
      MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      MPI_Status status[2];
      memset(status, 0, sizeof status);
      for (int i = 0; i < 64; ++i) out[i] = 1000 * rank + i, in[i] = -1;
      const int tag = 100 * t + mode;
      const int receives = mode == 3 || mode >= 10; /* these modes receive themselves */
      if (!receives) MPI_Irecv(in, 2, type, from, tag, MPI_COMM_WORLD, &requests[0]);
      switch (mode) {
        case 0:
          result = MPI_Send(out, 2, type, to, tag, MPI_COMM_WORLD);
          break;
        case 1:
          result = MPI_Bsend(out, 2, type, to, tag, MPI_COMM_WORLD);
          break;
        case 2:
          result = MPI_Ssend(out, 2, type, to, tag, MPI_COMM_WORLD);
          break;
        case 3:
          result = MPI_Sendrecv(out, 2, type, to, tag, in, 2, type, from, tag, MPI_COMM_WORLD,
                                &status[0]);
          break;
        case 4:
          result = MPI_Isend(out, 2, type, to, tag, MPI_COMM_WORLD, &requests[1]);
          break;
        case 5:
          result = MPI_Ibsend(out, 2, type, to, tag, MPI_COMM_WORLD, &requests[1]);
          break;
        case 6:
          result = MPI_Issend(out, 2, type, to, tag, MPI_COMM_WORLD, &requests[1]);
          break;
        case 7:
        case 8:
        case 9: {
          MPI_Request fixed;
          if (mode == 7) result = MPI_Send_init(out, 2, type, to, tag, MPI_COMM_WORLD, &fixed);
          if (mode == 8) result = MPI_Bsend_init(out, 2, type, to, tag, MPI_COMM_WORLD, &fixed);
          if (mode == 9) result = MPI_Ssend_init(out, 2, type, to, tag, MPI_COMM_WORLD, &fixed);
          MPI_Start(&fixed);
          MPI_Wait(&fixed, MPI_STATUS_IGNORE);
          MPI_Request_free(&fixed);
          break;
        }
        case 10:
          memcpy(in, out, sizeof in);
          result =
              MPI_Sendrecv_replace(in, 2, type, to, tag, from, tag, MPI_COMM_WORLD, &status[0]);
          break;
        default: {
          MPI_Message message;
          MPI_Isend(out, 2, type, to, tag, MPI_COMM_WORLD, &requests[1]);
          result = MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, &status[0]);
          MPI_Mrecv(in, 2, type, &message, &status[0]);
          break;
        }
      }
      if (requests[0] != MPI_REQUEST_NULL) MPI_Wait(&requests[0], &status[0]);
      if (requests[1] != MPI_REQUEST_NULL) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Get_count(&status[0], type, &count);
      MPI_Get_elements(&status[0], type, &elements);
      MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      LINE("message %s %s: %d from %d tag %d count %d elements %d %d: %lx", kModeNames[mode],
           kTypeNames[t], result, status[0].MPI_SOURCE, status[0].MPI_TAG, count, elements, done,
           sum_of(in, sizeof in));
    }
    MPI_Type_free(&type);
  }
  void* detached;
  int bytes;
  MPI_Buffer_detach(&detached, &bytes);
  LINE("message buffer: %d %d", detached == space, bytes);
}

/* Data movement with every kind of type. */
static void collectives_by_type(void) {
  for (int t = 0; t < kTypes; ++t) {
    MPI_Datatype type = make_type(t);
    int in[1024], out[1024];
    for (int i = 0; i < 1024; ++i) in[i] = 10000 * rank + i, out[i] = -1;
    int r = MPI_Bcast(rank == 0 ? in : out, 2, type, 0, MPI_COMM_WORLD);
    LINE("bcast %s: %d %lx", kTypeNames[t], r, rank == 0 ? 0 : sum_of(out, sizeof out));
    r = MPI_Gather(in, 1, type, out, 1, type, size - 1, MPI_COMM_WORLD);
    LINE("gather %s: %d %lx", kTypeNames[t], r, sum_of(out, sizeof out));
    r = MPI_Scatter(in, 1, type, out, 1, type, 0, MPI_COMM_WORLD);
    LINE("scatter %s: %d %lx", kTypeNames[t], r, sum_of(out, sizeof out));
    r = MPI_Allgather(in, 1, type, out, 1, type, MPI_COMM_WORLD);
    LINE("allgather %s: %d %lx", kTypeNames[t], r, sum_of(out, sizeof out));
    r = MPI_Alltoall(in, 1, type, out, 1, type, MPI_COMM_WORLD);
    LINE("alltoall %s: %d %lx", kTypeNames[t], r, sum_of(out, sizeof out));
    MPI_Type_free(&type);
  }
}

#if MPI_VERSION >= 4
/* The functions with large counts. */
static void large_counts(void) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  int out[8] = {rank, 1, 2, 3, 4, 5, 6, 7}, in[64];
  MPI_Request request;
  MPI_Status status;
  MPI_Count count = -1;
  memset(in, 0, sizeof in);
  MPI_Irecv_c(in, 8, MPI_INT, from, 1, MPI_COMM_WORLD, &request);
  int r = MPI_Send_c(out, 8, MPI_INT, to, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Get_count_c(&status, MPI_INT, &count);
  LINE("send_c: %d %d %ld %lx", r, status.MPI_SOURCE, (long)count, sum_of(in, sizeof in));
  MPI_Isend_c(out, 4, MPI_INT, to, 2, MPI_COMM_WORLD, &request);
  r = MPI_Recv_c(in, 8, MPI_INT, from, 2, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_elements_c(&status, MPI_INT, &count);
  LINE("recv_c: %d %d %ld %lx", r, status.MPI_TAG, (long)count, sum_of(in, sizeof in));
  r = MPI_Sendrecv_c(out, 8, MPI_INT, to, 3, in, 8, MPI_INT, from, 3, MPI_COMM_WORLD, &status);
  LINE("sendrecv_c: %d %lx", r, sum_of(in, sizeof in));
  r = MPI_Bcast_c(out, 8, MPI_INT, 0, MPI_COMM_WORLD);
  LINE("bcast_c: %d %lx", r, sum_of(out, sizeof out));
  r = MPI_Allreduce_c(out, in, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  LINE("allreduce_c: %d %lx", r, sum_of(in, sizeof in));
  r = MPI_Allgather_c(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
  LINE("allgather_c: %d %lx", r, sum_of(in, sizeof in));
  r = MPI_Reduce_c(out, in, 8, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  LINE("reduce_c: %d %lx", r, rank == 0 ? sum_of(in, sizeof in) : 0);
  MPI_Datatype type;
  r = MPI_Type_contiguous_c(3, MPI_INT, &type);
  MPI_Type_size_c(type, &count);
  LINE("type_contiguous_c: %d %ld", r, (long)count);
  MPI_Type_free(&type);
}
#endif

static int called;
static int copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* flag) {
  (void)comm, (void)key;
  called += *(int*)extra;
  *(void**)to = (char*)from + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  called += 100 * (int)(intptr_t)value;
  return MPI_SUCCESS;
}
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  called += 10000 + error_class(*code);
}

/* Callbacks of the program, and how often they are called. */
static void callbacks(void) {
  for (int times = 1; times <= 4; ++times) {
    int key, extra = times, flag = 0;
    void* value = NULL;
    MPI_Comm fresh;
    called = 0;
    MPI_Comm_create_keyval(copy, drop, &key, &extra);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)(intptr_t)times);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Comm_get_attr(fresh, key, &value, &flag);
    const int after_copy = called;
    MPI_Comm_free(&fresh);
    LINE("attribute %d: %d %d %d", times, flag, (int)(intptr_t)value, after_copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    LINE("attribute %d: deleted %d", times, called);
    MPI_Comm_free_keyval(&key);
  }
  MPI_Errhandler mine, before;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(own, mine);
  MPI_Comm_get_errhandler(own, &before);
  int value = 0;
  called = 0;
  LINE("error rank: %d", error_class(MPI_Send(&value, 1, MPI_INT, size + 5, 0, own)));
  LINE("error tag: %d", error_class(MPI_Send(&value, 1, MPI_INT, 0, -5, own)));
  LINE("error count: %d", error_class(MPI_Send(&value, -1, MPI_INT, 0, 0, own)));
  LINE("error type: %d", error_class(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, own)));
  LINE("error root: %d", error_class(MPI_Bcast(&value, 1, MPI_INT, size + 5, own)));
  LINE("error op: %d",
       error_class(MPI_Allreduce(&value, &value + 1, 1, MPI_INT, MPI_OP_NULL, own)));
  LINE("error handler calls: %d %d", called, before == mine);
  MPI_Errhandler_free(&mine);
  MPI_Errhandler_free(&before);
  MPI_Comm_free(&own);
}

/* Children of the program that do not use MPI. */
static void children(void) {
  for (int way = 0; way < 3; ++way) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      if (way == 0) _exit(7);
      if (way == 1) execl("/bin/sh", "sh", "-c", "exit 9", (char*)NULL);
      exit(11); /* runs its atexit handlers */
    }
    waitpid(child, &status, 0);
    LINE("child %d: %d %d", way, WIFEXITED(status), WEXITSTATUS(status));
  }
  FILE* pipe = popen("echo from the shell", "r");
  char line[64] = "";
  if (fgets(line, sizeof line, pipe) == NULL) line[0] = '?';
  const int result = pclose(pipe);
  LINE("pipe: %d %.14s", result, line);
}

/* Queries about objects. */
static void questions(void) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0, flag = 0, result = 0;
  MPI_Comm comm, grid;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  LINE("name of world: %s %d", name, length);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "mine");
  MPI_Comm_get_name(comm, name, &length);
  LINE("name: %s %d", name, length);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  LINE("compare: %d", result == MPI_CONGRUENT);
  int dims[2] = {0, 0}, periods[2] = {1, 0}, coordinates[2] = {-1, -1}, up = -1, down = -1;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(comm, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, coordinates);
  MPI_Cart_shift(grid, 1, 1, &up, &down);
  LINE("grid: %d %d %d %d %d %d", dims[0], dims[1], coordinates[0], coordinates[1], up, down);
  MPI_Comm_free(&grid);
  for (int color = 0; color < 4; ++color) {
    MPI_Comm part;
    MPI_Comm_split(comm, rank % (color + 1), -rank, &part);
    int part_rank, part_size;
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    LINE("split %d: %d %d", color, part_rank, part_size);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&comm);
  LINE("freed: %d", comm == MPI_COMM_NULL);
  MPI_Initialized(&flag);
  MPI_Finalized(&result);
  LINE("state: %d %d", flag, result);
  int* limit = NULL;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  LINE("tags: %d %d", flag, *limit);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  reductions();
  messages();
  collectives_by_type();
#if MPI_VERSION >= 4
  large_counts();
#endif
  callbacks();
  children();
  questions();
  int mine = (int)used, others[64] = {0};
  MPI_Gather(&mine, 1, MPI_INT, others, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) fwrite(text, 1, used, stdout);
  for (int r = 1; r < size; ++r) {
    if (rank == r) MPI_Send(text, mine, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (rank != 0) continue;
    char* theirs = malloc((size_t)others[r]);
    MPI_Recv(theirs, others[r], MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(theirs, 1, (size_t)others[r], stdout);
    free(theirs);
  }
  write_expected();
  MPI_Finalize();
  return 0;
}
