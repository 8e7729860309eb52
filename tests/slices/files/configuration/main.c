/* Settings are read in one file, kept in a second, used in a third. */
#include "observe.h"
#include "config.h"

int main(void)
{
    read_config(input(0), input(1));
    observe(area());
    return 0;
}
