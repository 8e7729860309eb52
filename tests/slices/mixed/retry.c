/* Try again until it works or patience ends. */
#include "observe.h"

static int attempts;
static int waited;

static int attempt(int n)
{
    attempts++;
    return input(n) > 6 ? 0 : -1;
}

int main(void)
{
    int n = 0;
    int error;
    int delay = 1;
    do {
        error = attempt(n++);
        if (error) {
            waited += delay;
            delay *= 2;
        }
    } while (error && n < 5);
    observe(error);
    observe(attempts);
    return 0;
}
