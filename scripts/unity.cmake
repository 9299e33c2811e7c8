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
compiled_alone(analyzer attribution/ideal_steps.cpp waits/last_transfers.cpp
    waits/latest_needed.cpp waits/lock_waits.cpp clocks/message_drift.cpp)
compiled_alone(analyzer/report formula/parser.cpp formula/regex.cpp container/tar_reader.cpp)
compiled_alone(analyzer/trace copy/copy_events.cpp)
compiled_alone(analyzer/view difference/changes.cpp difference/show_difference.cpp html/html_page.cpp)
compiled_alone(patterns derived/delay_costs.cpp derived/wait_chains.cpp metric/thread_time_metrics.cpp
    waits/file_wait.cpp waits/window_wait.cpp)
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
# takes 4 % more instructions. Debug builds do the same, so that each build type compiles alike.
compiled_alone(analyzer replay/analysis.cpp booking/booking.cpp attribution/causes.cpp
  clocks/clock_condition.cpp waits/collective_waits.cpp match/collectives.cpp
  clocks/correction.cpp attribution/delay_cost_booking.cpp attribution/ideal_network.cpp
  match/inbox.cpp clocks/latencies.cpp clocks/logical_clock.cpp match/messages.cpp
  waits/receiver_waits.cpp clocks/retime.cpp waits/sender_waits.cpp booking/statistics.cpp
  booking/times_and_counts.cpp waits/waits.cpp)
compiled_alone(sync drift.cpp solver.cpp)
set_target_properties(latecomer_causes latecomer_trace latecomer_mpi latecomer_record
  latecomer_callpath PROPERTIES UNITY_BUILD OFF)
