/* SPDX-License-Identifier: BSD-3-Clause */
/* Latecomer's interface for programs in C and C++: name regions of a program, switch recording off
 * and on.
 *
 *    #include <latecomer.h>
 *
 *    LATECOMER_REGION(step, "time step");
 *
 *    int main(void) {
 *      for (int i = 0; i < 10; ++i) {
 *        LATECOMER_ENTER(step);
 *        // compute, exchange data
 *        LATECOMER_LEAVE(step);
 *      }
 *      return 0;
 *    }
 *
 * A program that uses this header needs nothing else. It runs with and without the measurement
 * library, which may be linked (-llatecomer) or preloaded (scan does that). Without the library a
 * call costs a comparison. -DLATECOMER_DISABLE removes the calls altogether, and so does a compiler
 * that does not know the extensions of GCC.
 *
 * Any thread may enter regions, even before MPI_Init. */
#ifndef LATECOMER_H
#define LATECOMER_H

#if defined(LATECOMER_DISABLE) || !defined(__GNUC__)

#define LATECOMER_REGION(handle, name) struct latecomer_nothing
#define LATECOMER_ENTER(handle) ((void)0)
#define LATECOMER_LEAVE(handle) ((void)0)
#define LATECOMER_RECORDING_ON() ((void)0)
#define LATECOMER_RECORDING_OFF() ((void)0)
#ifdef __cplusplus
#define LATECOMER_SCOPE(name) ((void)0)
#define LATECOMER_FUNCTION() ((void)0)
#endif

#else

/* Declares a region: a handle for the macros below, and the name that reports show. It stands at
 * file scope or in a function. The name is a string literal. Reports also show the file and line of
 * the declaration.
 *
 *    LATECOMER_REGION(exchange, "halo exchange");
 *
 *    void exchange_halo(double* halo) {
 *      LATECOMER_REGION(pack, "pack");
 *      LATECOMER_ENTER(exchange);
 *      LATECOMER_ENTER(pack);
 *      halo[0] = halo[1];
 *      LATECOMER_LEAVE(pack);
 *      LATECOMER_LEAVE(exchange);
 *    }
 *
 * Declarations with one name at several places are several regions. The declaration in a template
 * is one region for all instances of the template. */
#define LATECOMER_REGION(handle, name) \
  static struct latecomer_region handle = LATECOMER_INIT_(name, 0)

/* Enters a region: until it is left, calls of MPI and other regions belong to it. A region may be
 * entered again before it is left (recursion). */
#define LATECOMER_ENTER(handle) latecomer_enter_region(&(handle))

/* Leaves a region: once for each LATECOMER_ENTER, on the same thread, the innermost region first.
 * Each way out of a function needs its own LATECOMER_LEAVE; in C++ LATECOMER_SCOPE is safer.
 *
 *    LATECOMER_REGION(find, "find");
 *
 *    int find_value(const int* values, int count, int wanted) {
 *      LATECOMER_ENTER(find);
 *      for (int i = 0; i < count; ++i) {
 *        if (values[i] == wanted) {
 *          LATECOMER_LEAVE(find);
 *          return i;
 *        }
 *      }
 *      LATECOMER_LEAVE(find);
 *      return -1;
 *    } */
#define LATECOMER_LEAVE(handle) latecomer_leave_region(&(handle))

/* Switches recording off for all threads of this process. Calls of MPI and regions run as always,
 * but are not in the trace. Processes should switch at the same places: an operation with a partner
 * that does not record cannot be matched.
 *
 *    void read_input(const char* file);
 *
 *    void set_up(const char* file) {
 *      LATECOMER_RECORDING_OFF();
 *      read_input(file);
 *      LATECOMER_RECORDING_ON();
 *    } */
#define LATECOMER_RECORDING_OFF() latecomer_set_recording(0)

/* Switches recording on again, in this process. It does nothing if recording is on. */
#define LATECOMER_RECORDING_ON() latecomer_set_recording(1)

#ifdef __cplusplus
/* A region from here to the end of the block, even if an exception ends it. The name is a string
 * literal. A block may have several, which end in reverse order.
 *
 *    double norm(const double* values, int count) {
 *      LATECOMER_SCOPE("norm");
 *      double sum = 0;
 *      for (int i = 0; i < count; ++i) sum += values[i] * values[i];
 *      return sum;
 *    } */
#define LATECOMER_SCOPE(name) LATECOMER_SCOPE_(name, 0, __COUNTER__)

/* A region from here to the end of the block, named like the function that it is in (__func__).
 * Reports list it as a function.
 *
 *    template <typename Value>
 *    Value twice(Value value) {
 *      LATECOMER_FUNCTION();
 *      return value + value;
 *    }
 *
 *    int use() { return twice(1) + static_cast<int>(twice(2.0)); } */
#define LATECOMER_FUNCTION() LATECOMER_SCOPE_(__func__, 1, __COUNTER__)
#endif

/* Nothing from here on is meant to be used directly. */

#ifdef __cplusplus
extern "C" {
#endif

/* A region, with the id that the library gives it. */
struct latecomer_region {
  const char* name;
  const char* file;
  unsigned line;
  unsigned is_function;
  unsigned id; /* 0: the library has not seen it */
};

/* Functions of the library. Later versions add members at the end. */
struct latecomer_api {
  unsigned members;
  void (*enter)(struct latecomer_region*);
  void (*leave)(struct latecomer_region*);
  void (*set_recording)(int on);
};

/* Null if there is no library. The linker keeps weak references to it in position independent
 * programs only, so the dynamic linker is asked as well. */
extern const struct latecomer_api* latecomer_api_1(void) __attribute__((weak));
extern void* latecomer_dlsym_(void*, const char*) __asm__("dlsym") __attribute__((weak));

#define LATECOMER_INIT_(name, is_function) \
  { name, __FILE__, __LINE__, is_function, 0 }
#define LATECOMER_INLINE_ static inline __attribute__((unused, no_instrument_function))

/* The library, or latecomer_absent_; found once per compiled file. */
static const struct latecomer_api latecomer_absent_ __attribute__((unused)) = {0, 0, 0, 0};
static const struct latecomer_api* latecomer_found_ __attribute__((unused));

static __attribute__((unused, noinline, cold, no_instrument_function)) const struct latecomer_api*
latecomer_find_(void) {
  const struct latecomer_api* found = 0;
  if (latecomer_api_1) {
    found = latecomer_api_1();
  } else if (latecomer_dlsym_) {
    /* Neither C nor C++ has a cast from a pointer to data to one to a function. */
    const struct latecomer_api* (*get)(void);
    void* const address = latecomer_dlsym_(0, "latecomer_api_1");
    __builtin_memcpy(&get, &address, sizeof(get));
    if (get) found = get();
  }
  if (!found) found = &latecomer_absent_;
  __atomic_store_n(&latecomer_found_, found, __ATOMIC_RELEASE);
  return found;
}

LATECOMER_INLINE_ const struct latecomer_api* latecomer_get_(void) {
  const struct latecomer_api* api = __atomic_load_n(&latecomer_found_, __ATOMIC_ACQUIRE);
  return __builtin_expect(api != 0, 1) ? api : latecomer_find_();
}

LATECOMER_INLINE_ void latecomer_enter_region(struct latecomer_region* region) {
  const struct latecomer_api* api = latecomer_get_();
  if (api != &latecomer_absent_) api->enter(region);
}

LATECOMER_INLINE_ void latecomer_leave_region(struct latecomer_region* region) {
  const struct latecomer_api* api = latecomer_get_();
  if (api != &latecomer_absent_) api->leave(region);
}

LATECOMER_INLINE_ void latecomer_set_recording(int on) {
  const struct latecomer_api* api = latecomer_get_();
  if (api != &latecomer_absent_) api->set_recording(on);
}

#ifdef __cplusplus
}

namespace latecomer {

/* Enters a region and leaves it at the end of the block, even if an exception ends it. */
class Scope {
 public:
  __attribute__((no_instrument_function)) explicit Scope(latecomer_region* region)
      : region_(region) {
    latecomer_enter_region(region_);
  }
  __attribute__((no_instrument_function)) ~Scope() { latecomer_leave_region(region_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  latecomer_region* region_;
};

}  // namespace latecomer

#define LATECOMER_JOIN_(a, b) LATECOMER_JOIN2_(a, b)
#define LATECOMER_JOIN2_(a, b) a##b
#define LATECOMER_SCOPE_(name, is_function, number)                           \
  static struct latecomer_region LATECOMER_JOIN_(latecomer_region_, number) = \
      LATECOMER_INIT_(name, is_function);                                     \
  const ::latecomer::Scope LATECOMER_JOIN_(latecomer_scope_,                  \
                                           number)(&LATECOMER_JOIN_(latecomer_region_, number))
#endif

#endif
#endif
