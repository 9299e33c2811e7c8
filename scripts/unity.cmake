# SPDX-License-Identifier: BSD-3-Clause
# All presets except debug compile many sources in one go (CMAKE_UNITY_BUILD), which is a third less
# work. The sources listed here are compiled alone.
function(compiled_alone folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  set_source_files_properties(${ARGN} DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Sources with local names that another source of their target has, too.
compiled_alone(analyzer/cli report_commands.cpp show_command.cpp)
compiled_alone(analyzer/replay ideal_steps.cpp last_transfers.cpp latest_needed.cpp lock_waits.cpp
  message_drift.cpp)
compiled_alone(analyzer/report formula/regex.cpp tar_reader.cpp)
compiled_alone(analyzer/trace copy_events.cpp)
compiled_alone(analyzer/view html/html_page.cpp show_difference.cpp)
compiled_alone(patterns thread_time_metrics.cpp window_wait.cpp)
compiled_alone(sync latency.cpp)
if(LATECOMER_BUILD_TESTS)
  compiled_alone(tests/convert flush_test.cpp repair_test.cpp)
  compiled_alone(tests/view check_test.cpp)
  set_target_properties(clock_test random_run record_test trace_test PROPERTIES UNITY_BUILD OFF)
endif()
# Libraries in which only some sources call MPI. Not all targets that link these libraries have MPI.
set_target_properties(latecomer_convert latecomer_exchange latecomer_memory latecomer_session latecomer_user
  PROPERTIES UNITY_BUILD OFF)

# Sources that take most of the time. In long sources the compiler inlines less, and the analysis
# takes 4 % more instructions.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  compiled_alone(analyzer/replay analysis.cpp booking.cpp causes.cpp clock_condition.cpp
    collective_waits.cpp collectives.cpp correction.cpp delay_costs.cpp ideal_network.cpp inbox.cpp
    latencies.cpp logical_clock.cpp messages.cpp receiver_waits.cpp retime.cpp sender_waits.cpp
    statistics.cpp times_and_counts.cpp)
  compiled_alone(sync drift.cpp solver.cpp)
  set_target_properties(latecomer_causes latecomer_trace latecomer_mpi latecomer_record
    latecomer_callpath PROPERTIES UNITY_BUILD OFF)
endif()
