/* stall.h - make one rank of a job hang, on request.
 *
 * A solver asks stall_here("place", it) wherever it can hang. The answer is no, except on the one rank, iteration
 * and place that the environment names:
 *
 *     HINDMOST_STALL="rank=8,it=41,place=get_norm"
 *
 * What a stalled rank then does (spin, wait for a message that nobody sends, take the wrong branch) is written
 * where it happens, in the solver, and marked there with a STALL comment: a debugger must find it in the solver's
 * own lines, not in here.
 *
 *     HINDMOST_HEARTBEAT=FILE   counts, per rank, how often the solver passed any place (64-bit cells)
 *     HINDMOST_LIMIT=SECONDS    the job kills itself after so long, whatever became of whoever started it
 */
#ifndef STALL_H
#define STALL_H

#include <mpi.h>

/* A stalled rank that computes does so until this is cleared, which nobody does. Volatile, so that the loop on it
 * stays a loop. */
extern volatile int stall_gate;

/* Reads the environment. `places` lists what this solver asks for, separated by blanks; a job that is told to
 * stall anywhere else is aborted at once rather than never. */
void stall_init(MPI_Comm comm, const char *places);

/* Whether this rank is to hang here and now: true at most once in a run, and announced on stderr. */
int stall_here(const char *place, int it);

#endif
