# SPDX-License-Identifier: BSD-3-Clause
"""Functions that come and go, for python_test.py: each calls MPI at a random place of random code.

python_churn.py mpi4py|LIBRARY FILE: for each call, FILE gets a line with the functions that Python sees.
"""
import asyncio
import gc
import random
import sys

import python_solver
from python_solver import barrier

STYLES = ("def {name}():\n  x = 1\n  {inner}\n{name}()",
          "class C:\n  def {name}(self):\n    {inner}\nC().{name}()",
          "def {name}():\n  yield 1\n  {inner}\n  yield 2\nlist({name}())",
          "async def {name}():\n  {inner}\ntry:\n  {name}().send(None)\nexcept StopIteration: pass",
          "def {name}(value):\n  {inner}\n  return value\nsorted([2], key={name})",
          "(lambda: [{inner}])()")
NAMES = ("alpha", "b", "longer_name_of_a_function", "größe", "λ", "c1", "c2", "c3")
file = open(sys.argv[2], "w", encoding="utf-8")
random.seed(1)


def note():
    frame, functions = sys._getframe(1), []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        functions.append("%s %s:%d" % (name, code.co_filename, code.co_firstlineno))
        frame = frame.f_back
    print("\t".join(reversed(functions)), file=file)


def make(depth):
    inner = "make(%d)" % (depth - 1) if depth else "(note(), barrier())"
    text = "\n" * random.randrange(3) + random.choice(STYLES).format(name=random.choice(NAMES), inner=inner)
    where = random.choice(("<string>", "<cell %d>" % random.randrange(9)))
    exec(compile(text, where, "exec"), {"make": make, "note": note, "barrier": barrier})
    if random.random() < 0.1:
        gc.collect()


def recurse(depth):
    if depth > 0:
        recurse(depth - 1)
    else:
        note()
        barrier()


async def wait(depth):
    if depth > 0:
        await wait(depth - 1)
        return
    for _ in range(2):
        note()
        barrier()
        await asyncio.sleep(0)


for _ in range(500):
    make(random.randrange(4))
recurse(40)
asyncio.run(wait(5))
file.close()
python_solver.finalize()
