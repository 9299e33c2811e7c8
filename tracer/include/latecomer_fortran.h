/* SPDX-License-Identifier: BSD-3-Clause */
/* Latecomer's interface for Fortran: named regions, recording off and on. The calls are plain
 * external subroutines, which work with every Fortran standard:
 *
 *   integer, save :: solve = 0                 ! one variable per region, 0 at the beginning
 *   call latecomer_enter(solve, 'solve')
 *   ...
 *   call latecomer_leave(solve)                ! once for each latecomer_enter, innermost first
 *   call latecomer_recording(0)                ! this process: off
 *   call latecomer_recording(1)                ! on
 *
 * Link -llatecomer-fortran. The program then runs with and without the measurement library, which
 * may be preloaded (scan does that) or linked (-llatecomer, which has the subroutines, too).
 *
 * Preprocessed files (.F90) may include this file and use its macros, which -DLATECOMER_DISABLE
 * removes:
 *
 *   LATECOMER_REGION(solve)                    among the declarations
 *   LATECOMER_ENTER(solve, 'solve')
 *   LATECOMER_LEAVE(solve)
 *   LATECOMER_RECORDING(0)
 */
#ifdef LATECOMER_DISABLE
#define LATECOMER_REGION(handle)
#define LATECOMER_ENTER(handle, name)
#define LATECOMER_LEAVE(handle)
#define LATECOMER_RECORDING(on)
#else
#define LATECOMER_REGION(handle) integer, save ::handle = 0
#define LATECOMER_ENTER(handle, name) call latecomer_enter(handle, name)
#define LATECOMER_LEAVE(handle) call latecomer_leave(handle)
#define LATECOMER_RECORDING(on) call latecomer_recording(on)
#endif
