#ifndef WALK_H
#define WALK_H
void walk(int count, void (*visit)(int));
#endif
