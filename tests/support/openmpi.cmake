# SPDX-License-Identifier: BSD-3-Clause
# Environment of every test if Latecomer is built with Open MPI; read by ctest.
foreach(setting
    ALLOW_RUN_AS_ROOT=1 ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container
    MCA_rmaps_base_oversubscribe=1                  # more processes than cores
    MCA_orte_execute_quiet=1                        # no comments on exit statuses that tests want
    MCA_mpi_yield_when_idle=1                       # they share them
    MCA_hwloc_base_binding_policy=none)             # and so do tests side by side
  string(REGEX MATCH "^([^=]+)=(.*)$" found ${setting})
  set(ENV{OMPI_${CMAKE_MATCH_1}} ${CMAKE_MATCH_2})
endforeach()
