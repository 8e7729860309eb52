/* What every program of this directory has: a place to look at, and values that differ between runs. */
#ifndef OBSERVE_H
#define OBSERVE_H

/* Prints the value. Each call is a criterion of its own. */
void observe(long value);

/* A number from 0 to 9: the same for the same `which` within a run. */
int input(int which);

#endif
