#include "config.h"

struct config config = {1, 1, 0};

void read_config(int width, int height)
{
    config.width = width;
    config.height = height + 1;
    config.verbose = width > 3;
}
