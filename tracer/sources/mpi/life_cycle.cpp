// SPDX-License-Identifier: BSD-3-Clause
// Begin and end of recording: MPI_Init, MPI_Finalize, sessions without them, the end of the
// process, and MPI_Pcontrol, from C and Fortran.
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "tracer/functions/regions.hpp"
#include "tracer/session/job/world.hpp"
#include "tracer/session/participants.hpp"
#include "tracer/session/process/mpi_library.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/calls/comm_call.hpp"
#include "tracer/sources/mpi/calls/left_out.hpp"
#include "tracer/sources/mpi/calls/pending_calls.hpp"
#include "tracer/sources/mpi/calls/plain_call.hpp"
#include "tracer/sources/mpi/layers/layers.hpp"
#include "tracer/sources/mpi/layers/other_mpi.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/volumes.hpp"

namespace {

using namespace latecomer;  // NOLINT: this file is all wrappers
using mpi::kSelf;
using mpi::kWorld;
using mpi::RegionIndex;

mpi::LifeState& life() { return process().mpi.life; }

void close_own_session() {
#if MPI_VERSION >= 4
  if (!life().own_session) return;
  PMPI_Session_finalize(&*life().own_session);
  life().own_session.reset();
#endif
}

// Ends recording after everything that the program does, while MPI can still be used. Collective.
void end_recording() {
  if (!life().in_use.exchange(false)) return;
  mpi::communicators::end();
  session::end_recording_less();
  session::ThreadWriter* w = session::writer();
  if (w != nullptr) {
    const auto t = session::now();
    w->call_path(life().path_of_end);
    w->enter(mpi::kMPI_Finalize, t);
    w->collective_begin(t);
    if (const auto* world = mpi::communicators::find(MPI_COMM_WORLD); world != nullptr) {
      mpi::note_collective(*w, mpi::kMPI_Finalize, t, *world, mpi::kDestroyHandle,
                           record::kRootNone);
    }
  }
  {
    // Processes that come early wait here and not while the archive is written.
    const session::Suspend inside(w);
    if (session::recorded_together()) PMPI_Barrier(MPI_COMM_WORLD);
  }
  if (w != nullptr) {
    const auto t = session::now();
    w->comm_destroy(kWorld, t);
    w->comm_destroy(kSelf, t);
    w->collective_end({kWorld, mpi::kDestroyHandle, record::kRootNone, 0, 0}, t);
    w->leave(mpi::kMPI_Finalize, t);
    w->program_end(t);
    mpi::begin_pending(*w, mpi::kMPI_Finalize, t, record::Awaited::kInside, 0);
    w->live_state().end();
  }
  session::finalize();
}

int is_not_copied(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, in reverse order of their setting
// [MPI 3.1, section 8.7.1]. Libraries close their files there. The attribute that is set before the
// program can set one is deleted last, after all of them.
int last_attribute_goes(MPI_Comm, int, void*, void*) {
  end_recording();
  return MPI_SUCCESS;
}

void set_last_attribute() {
  if (PMPI_Comm_create_keyval(is_not_copied, last_attribute_goes, &life().last_attribute,
                              nullptr) != MPI_SUCCESS) {
    life().last_attribute = MPI_KEYVAL_INVALID;
  } else if (PMPI_Comm_set_attr(MPI_COMM_SELF, life().last_attribute, nullptr) != MPI_SUCCESS) {
    PMPI_Comm_free_keyval(&life().last_attribute);
  }
}

template <typename F>
int initialize(RegionIndex region, F&& call) {
  session::reach_mpi();
  session::ThreadWriter* w = session::writer();
  if (w != nullptr) {
    session::note_call_path(w);
    const auto t = session::now();
    w->enter(region, t);
    w->collective_begin(t);
    mpi::begin_pending(*w, region, t, record::Awaited::kInside, 0);
    w->live_state().end();
  }
  if (!life().initialized) session::announce();
  int result;
  {
    const session::Suspend inside(w);
    result = call();
  }
  if (result == MPI_SUCCESS) {
    life().initialized = true;
    if (life().by_session) life().sessions.fetch_add(1);
  }
  if (result != MPI_SUCCESS || life().in_use) {
    if (w != nullptr) {
      const auto t = session::now();
      w->live_state().left(t);
      w->leave(region, t);
    }
    return result;
  }
  life().in_use = true;
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  process().mpi.requests.several_threads = provided == MPI_THREAD_MULTIPLE;
  session::mpi_initialized(provided);
  if (session::over()) {
    close_own_session();
    return result;
  }
  mpi::communicators::begin();
  mpi::begin_leaving_out();
  set_last_attribute();
  w = session::writer();
  if (w == nullptr) return result;
  const auto t = session::now();
  w->comm_create(kWorld, t);
  w->comm_create(kSelf, t);
  w->collective_end({kWorld, mpi::kCreateHandle, record::kRootNone, 0, 0}, t);
  w->leave(region, t);
  w->live_state().left(t);
  session::begin_recording_less();
  return result;
}

template <typename F>
int finalize(F&& call) {
  if (!life().in_use) return call();
  if (life().by_session) {
    session::ThreadWriter* w = session::writer();
    if (w != nullptr) session::note_call_path(w);
    const int result = w == nullptr ? call() : mpi::plain_call(w, mpi::kMPI_Finalize, call);
    if (result == MPI_SUCCESS) life().sessions.fetch_sub(1);
    return result;
  }
  if (session::ThreadWriter* w = session::writer(); w != nullptr) {
    session::note_call_path(w);
    life().path_of_end = w->call_path();
  }
  // If the program has open sessions, MPI and its attributes outlive MPI_Finalize.
  if (life().last_attribute == MPI_KEYVAL_INVALID || life().sessions.load() > 0) end_recording();
  close_own_session();  // not inside PMPI_Finalize, which holds a lock
  return call();
}

// Ends recording of a program that only uses sessions. Every process comes here once it has
// finalized all of them. A process that has not would make the others wait.
void end_with_session() {
  if (!life().by_session || life().sessions.load() > 0 || session::over()) return;
  if (!life().in_use.exchange(false)) return;  // threads may leave at the same time
  mpi::communicators::end();
  session::end_recording_less();
  if (session::ThreadWriter* w = session::writer(); w != nullptr) {
    const auto t = session::now();
    w->comm_destroy(kWorld, t);
    w->comm_destroy(kSelf, t);
    w->program_end(t);
  }
  session::finalize();
  PMPI_Comm_free(&process().world.own);
  close_own_session();
}

// Leaves a program that calls _exit(), which no other handler notices. Recording does not end in a
// child of vfork(), which shares the memory of its parent.
[[noreturn]] void leave_at_once(int status) {
  if (life().process_of_session != 0 && life().process_of_session == getpid()) end_with_session();
  for (;;) syscall(SYS_exit_group, status);
}

// True on the one process that prints what concerns all.
bool is_first() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name); rank != nullptr) return std::atoi(rank) == 0;
  }
  return true;
}

// Runs in exit() without MPI_Finalize. The trace then shows when the process ended, and that it was
// not killed.
[[gnu::destructor]] void ends() {
  end_with_session();
  if (life().session_was_used && !life().initialized && !life().by_session && !session::over() &&
      is_first()) {
    std::fputs(
        "latecomer: the program uses MPI sessions without MPI_Init, and made no communicator of "
        "all processes: nothing was recorded; with a call of MPI_Init before its first session it "
        "would be\n",
        stderr);
  }
  if (!life().in_use) return;
  if (session::ThreadWriter* w = session::writer(); w != nullptr) w->program_end(session::now());
}

// Level 0 switches recording off, 1 on; other levels are ignored.
template <typename F>
int control(int level, F&& call) {
  if (level == 1) session::recording(true);
  if (session::ThreadWriter* w = session::writer(); w != nullptr) {
    session::note_call_path(w);
    w->enter(mpi::kMPI_Pcontrol, session::now());
    w->leave(mpi::kMPI_Pcontrol, session::now());
  }
  if (level == 0 && session::recording(session::Cause::kProgram)) {
    session::define_property("communication_complete", "false");
    session::recording(false);
  }
  return call();
}

}  // namespace

namespace latecomer::mpi {

void session_begins() { session::announce(); }

// Called after the program has opened its session, which decides on the level of threads. A session
// concerns this process only, so nothing waits here.
void session_initialized() {
  const std::lock_guard one(life().session_mutex);
  life().sessions.fetch_add(1);
  life().session_was_used = true;
#if MPI_VERSION >= 4
  if (life().initialized || life().by_session || life().own_session) return;
  MPI_Session session = MPI_SESSION_NULL;
  if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS) {
    life().own_session = session;
  }
#endif
}

// If recording has not begun, MPI ends when the program ends it.
void session_finalized() {
  const std::lock_guard one(life().session_mutex);
  if (life().sessions.load() > 0) life().sessions.fetch_sub(1);
  if (life().sessions.load() == 0 && !life().in_use) close_own_session();
}

bool sessions_only() {
#if MPI_VERSION >= 4
  return !life().initialized && !life().by_session && life().own_session.has_value();
#else
  return false;
#endif
}

// All processes are in the same call now, so they can make another communicator.
bool start_with_session(MPI_Comm everybody) {
#if MPI_VERSION >= 4
  MPI_Group all = MPI_GROUP_NULL;
  if (PMPI_Group_from_session_pset(*life().own_session, "mpi://WORLD", &all) != MPI_SUCCESS)
    return false;
  int rank = 0;
  PMPI_Group_rank(all, &rank);
  int size = 0, members = 0;
  PMPI_Group_size(all, &size);
  PMPI_Comm_size(everybody, &members);
  MPI_Comm world = MPI_COMM_NULL;
  // Even the creation of a communicator needs all processes.
  const bool together = members == size && session::everybody_came(rank, size);
  const bool made =
      together && PMPI_Comm_create_from_group(all, "latecomer.world", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &world) == MPI_SUCCESS;
  PMPI_Group_free(&all);
  if (members == size && !together) close_own_session();
  if (!made) return false;
  process().world.own = world;
  process().world.has_own = true;
  life().by_session = life().in_use = true;
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  process().mpi.requests.several_threads = provided == MPI_THREAD_MULTIPLE;
  session::mpi_initialized(provided);
  if (session::over()) {
    life().in_use = process().world.has_own = false;
    PMPI_Comm_free(&process().world.own);
    close_own_session();
    return false;
  }
  life().process_of_session = getpid();
  std::atexit(end_with_session);
  std::at_quick_exit(end_with_session);
  communicators::begin();
  begin_leaving_out();
  session::begin_recording_less();
  return true;
#else
  static_cast<void>(everybody);
  return false;
#endif
}
}  // namespace latecomer::mpi

#define LATECOMER_API extern "C" [[gnu::visibility("default")]]

// Weak, because the C library's functions may be linked beside them in static programs.
LATECOMER_API [[gnu::weak, gnu::noreturn]] void _exit(int status) { leave_at_once(status); }
LATECOMER_API [[gnu::weak, gnu::noreturn]] void _Exit(int status) noexcept {
  leave_at_once(status);
}

LATECOMER_API LATECOMER_ASKS_FIRST int MPI_Init(int* argc, char*** argv) {
  if (mpi::steps_aside()) return mpi::again(&MPI_Init, argc, argv);
  return initialize(mpi::kMPI_Init, [&] { return LATECOMER_NEXT(MPI_Init, argc, argv); });
}

LATECOMER_API LATECOMER_ASKS_FIRST int MPI_Init_thread(int* argc, char*** argv, int required,
                                                       int* provided) {
  if (mpi::steps_aside()) return mpi::again(&MPI_Init_thread, argc, argv, required, provided);
  return initialize(mpi::kMPI_Init_thread, [&] {
    return LATECOMER_NEXT(MPI_Init_thread, argc, argv, required, provided);
  });
}

LATECOMER_API int MPI_Finalize(void) {
  return finalize([] { return LATECOMER_NEXT(MPI_Finalize); });
}

LATECOMER_API int MPI_Pcontrol(const int level, ...) {
  return control(level, [&] { return LATECOMER_NEXT(MPI_Pcontrol, level); });
}

// Fortran: MPICH's mpi_f08; mpi_f08 and mpif.h of Open MPI. ierror is optional in mpi_f08; it is
// null if it is missing.
#define LATECOMER_FORTRAN(wrapper, real)                                               \
  extern "C" {                                                                         \
  [[gnu::weak]] void real(init)(int* ierror);                                          \
  [[gnu::weak]] void real(init_thread)(int* required, int* provided, int* ierror);     \
  [[gnu::weak]] void real(finalize)(int* ierror);                                      \
  [[gnu::weak]] void real(pcontrol)(int* level);                                       \
  }                                                                                    \
  LATECOMER_API void wrapper(init)(int* ierror) {                                      \
    int own = MPI_SUCCESS;                                                             \
    int* error = ierror != nullptr ? ierror : &own;                                    \
    initialize(mpi::kMPI_Init, [&] { return real(init)(error), *error; });             \
  }                                                                                    \
  LATECOMER_API void wrapper(init_thread)(int* required, int* provided, int* ierror) { \
    int own = MPI_SUCCESS;                                                             \
    int* error = ierror != nullptr ? ierror : &own;                                    \
    initialize(mpi::kMPI_Init_thread,                                                  \
               [&] { return real(init_thread)(required, provided, error), *error; });  \
  }                                                                                    \
  LATECOMER_API void wrapper(finalize)(int* ierror) {                                  \
    int own = MPI_SUCCESS;                                                             \
    int* error = ierror != nullptr ? ierror : &own;                                    \
    finalize([&] { return real(finalize)(error), *error; });                           \
  }                                                                                    \
  LATECOMER_API void wrapper(pcontrol)(int* level) {                                   \
    control(*level, [&] { return real(pcontrol)(level), MPI_SUCCESS; });               \
  }

#define LATECOMER_F08(name) mpi_##name##_f08_
#if defined(OPEN_MPI)
#define LATECOMER_PMPI_F08(name) pmpi_##name##_f08_
#define LATECOMER_MPIF(name) mpi_##name##_
#define LATECOMER_PMPIF(name) pmpi_##name##_
LATECOMER_FORTRAN(LATECOMER_MPIF, LATECOMER_PMPIF)

// Names of these subroutines with compilers other than gfortran.
#define LATECOMER_NAMED_AS(name, other, ...) \
  LATECOMER_API void other(__VA_ARGS__) __attribute__((alias("mpi_" #name "_")))
#define LATECOMER_NAMINGS(name, capitals, ...)           \
  LATECOMER_NAMED_AS(name, mpi_##name, __VA_ARGS__);     \
  LATECOMER_NAMED_AS(name, mpi_##name##__, __VA_ARGS__); \
  LATECOMER_NAMED_AS(name, MPI_##capitals, __VA_ARGS__)
LATECOMER_NAMINGS(init, INIT, int*);
LATECOMER_NAMINGS(init_thread, INIT_THREAD, int*, int*, int*);
LATECOMER_NAMINGS(finalize, FINALIZE, int*);
LATECOMER_NAMINGS(pcontrol, PCONTROL, int*);
#else
#define LATECOMER_PMPI_F08(name) pmpir_##name##_f08_
#endif
LATECOMER_FORTRAN(LATECOMER_F08, LATECOMER_PMPI_F08)
