/* One list, several uses. */
#include "observe.h"

#define COLOURS(X) \
    X(red, 1)      \
    X(green, 20)   \
    X(blue, 305)

#define AS_CASE(name, value) \
    case value % 10:         \
        result = value;      \
        break;

int main(void)
{
    int result = 0;
    int noise = 4;
    switch (input(0)) {
        COLOURS(AS_CASE)
    default:
        noise = 5;
    }
    noise++;
    observe(result);
    return 0;
}
