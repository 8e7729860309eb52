#include "config.h"

int area(void)
{
    int cached = 0;
    cached = config.width;
    if (config.verbose)
        cached = 0;
    return config.width * config.height;
}
