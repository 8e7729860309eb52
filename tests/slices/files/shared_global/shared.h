#ifndef SHARED_H
#define SHARED_H
extern int limit;
void raise_limit(int by);
#endif
