/* A recursive parser of sums and products. */
#include "observe.h"

static const char *at;
static int errors;

static int sum(void);

static int atom(void)
{
    int n = 0;
    if (*at == '(') {
        at++;
        n = sum();
        if (*at == ')')
            at++;
        else
            errors++;
        return n;
    }
    while (*at >= '0' && *at <= '9')
        n = n * 10 + (*at++ - '0');
    return n;
}

static int product(void)
{
    int n = atom();
    while (*at == '*') {
        at++;
        n *= atom();
    }
    return n;
}

static int sum(void)
{
    int n = product();
    while (*at == '+') {
        at++;
        n += product();
    }
    return n;
}

int main(void)
{
    at = input(0) > 4 ? "2*(3+4)" : "10+2*5";
    observe(sum());
    observe(errors);
    return 0;
}
