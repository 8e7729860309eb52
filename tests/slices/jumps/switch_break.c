/* Without its break a case would run into the next. */
#include "observe.h"

int main(void)
{
    int x = 7;
    int y = 0;
    switch (input(0) % 3) {
    case 0:
        y = 1;
        break;
    case 1:
        x = 2;
        break;
    case 2:
        y = 3;
        break;
    }
    y++;
    observe(x);
    return 0;
}
