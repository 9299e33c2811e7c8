// SPDX-License-Identifier: BSD-3-Clause
// Functions of all kinds; the tests look up their names and lines.
namespace probe {

struct Solver {
  int factor = 2;
  int step(int x) const;
};

int Solver::step(int x) const { return factor * x; }  // line 10

template <typename T>
T twice(T x) {  // line 13
  return x + x;
}
template double twice<double>(double);

namespace {
int hidden(int x) { return x - 1; }  // line 19
}  // namespace

}  // namespace probe

extern "C" int plain_c(int x) {  // line 24
  return probe::hidden(x);
}

// The address of each function, by number.
extern "C" const void* probe_address(int which);
const void* probe_address(int which) {
  switch (which) {
    case 0: {
      int (probe::Solver::*const member)(int) const = &probe::Solver::step;
      const void* address = nullptr;
      __builtin_memcpy(&address, &member, sizeof address);
      return address;
    }
    case 1:
      return reinterpret_cast<const void*>(&probe::twice<double>);
    case 2:
      return reinterpret_cast<const void*>(&probe::hidden);
    default:
      return reinterpret_cast<const void*>(&plain_c);
  }
}
