#include "clamp.h"

static int uses;

int scaled(int n)
{
    uses++;
    return clamp(n, 3) * 10;
}
