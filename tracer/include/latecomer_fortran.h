/* SPDX-License-Identifier: BSD-3-Clause */
/* Latecomer's interface for Fortran: named regions, recording off and on. The calls are plain
 * external subroutines, which work with every Fortran standard. They need no include:
 *
 *    program steps
 *      implicit none
 *      integer, save :: step = 0                  ! one variable per region, 0 at the beginning
 *      integer :: i
 *      do i = 1, 10
 *        call latecomer_enter(step, 'time step')  ! the variable, and the name that reports show
 *        call latecomer_leave(step)               ! once for each latecomer_enter, innermost first
 *      end do
 *      call latecomer_recording(0)                ! recording off, in this process
 *      call latecomer_recording(1)                ! and on again
 *    end program
 *
 * Link -llatecomer-fortran. The program then runs with and without the measurement library, which
 * may be preloaded (scan does that) or linked (-llatecomer, which has the subroutines, too).
 *
 * Preprocessed files (.F90) may include this file and use its macros, which -DLATECOMER_DISABLE
 * removes:
 *
 *    #include <latecomer_fortran.h>
 *    program steps
 *      implicit none
 *      LATECOMER_REGION(step)
 *      LATECOMER_ENTER(step, 'time step')
 *      LATECOMER_LEAVE(step)
 *      LATECOMER_RECORDING(0)
 *    end program
 */
#ifdef LATECOMER_DISABLE
#define LATECOMER_REGION(handle)
#define LATECOMER_ENTER(handle, name)
#define LATECOMER_LEAVE(handle)
#define LATECOMER_RECORDING(on)
#else
/* Declares a region, among the declarations of a program unit. */
#define LATECOMER_REGION(handle) integer, save ::handle = 0

/* Enters the region, which reports show under this name. */
#define LATECOMER_ENTER(handle, name) call latecomer_enter(handle, name)

/* Leaves the region: once for each LATECOMER_ENTER, the innermost one first. */
#define LATECOMER_LEAVE(handle) call latecomer_leave(handle)

/* Switches recording off (0) and on (1), in this process. */
#define LATECOMER_RECORDING(on) call latecomer_recording(on)
#endif
