#ifndef CLAMP_H
#define CLAMP_H
static inline int clamp(int n, int high)
{
    if (n > high)
        return high;
    return n;
}
#endif
