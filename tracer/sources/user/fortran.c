// SPDX-License-Identifier: BSD-3-Clause
// Fortran's interface to latecomer.h: arguments by reference, followed by the length of a string.
// It is part of the measurement library, and alone it is liblatecomer-fortran.a for programs that
// may run without the library.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/include/latecomer.h"

#define API __attribute__((visibility("default")))

API void latecomer_enter_(int* handle, const char* name, size_t length);
API void latecomer_leave_(const int* handle);
API void latecomer_recording_(const int* on);

// Regions by handle: 1, 2, 3, ... Pieces are never moved or freed. They are not part of the
// library's state, because programs without the library need them, too.
enum { kPiece = 256, kPieces = 256 };
static struct latecomer_region* pieces[kPieces];
static int used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct latecomer_region* region_of(int handle) {
  if (handle < 1 || handle > kPiece * kPieces) return NULL;
  struct latecomer_region* piece =
      __atomic_load_n(&pieces[(handle - 1) / kPiece], __ATOMIC_ACQUIRE);
  return piece == NULL ? NULL : &piece[(handle - 1) % kPiece];
}

// Called if `handle` is 0. Threads that come at the same time get the same handle.
static void define(int* handle, const char* name, size_t length) {
  while (length > 0 && name[length - 1] == ' ') --length;
  pthread_mutex_lock(&mutex);
  if (__atomic_load_n(handle, __ATOMIC_RELAXED) == 0 && used < kPiece * kPieces) {
    struct latecomer_region** piece = &pieces[used / kPiece];
    if (*piece == NULL) {
      __atomic_store_n(piece, calloc(kPiece, sizeof **piece), __ATOMIC_RELEASE);
    }
    char* copy = malloc(length + 1);
    if (*piece != NULL && copy != NULL) {
      memcpy(copy, name, length);
      copy[length] = '\0';
      (*piece)[used % kPiece].name = copy;
      __atomic_store_n(handle, ++used, __ATOMIC_RELEASE);
    }
  }
  pthread_mutex_unlock(&mutex);
}

void latecomer_enter_(int* handle, const char* name, size_t length) {
  if (latecomer_get_() == &latecomer_absent_) return;
  if (__atomic_load_n(handle, __ATOMIC_ACQUIRE) == 0) define(handle, name, length);
  struct latecomer_region* region = region_of(*handle);
  if (region != NULL) latecomer_enter_region(region);
}

void latecomer_leave_(const int* handle) {
  struct latecomer_region* region = region_of(__atomic_load_n(handle, __ATOMIC_ACQUIRE));
  if (region != NULL) latecomer_leave_region(region);
}

void latecomer_recording_(const int* on) { latecomer_set_recording(*on != 0); }
