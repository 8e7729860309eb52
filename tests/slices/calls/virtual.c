/* A hand-made table of virtual functions. */
#include "observe.h"

struct animal;

struct methods {
    int (*legs)(const struct animal *);
    int (*weight)(const struct animal *);
};

struct animal {
    const struct methods *methods;
    int grams;
};

static int four(const struct animal *a)
{
    return a ? 4 : 0;
}

static int two(const struct animal *a)
{
    return a ? 2 : 0;
}

static int grams(const struct animal *a)
{
    return a->grams;
}

static const struct methods dog = {four, grams};
static const struct methods bird = {two, grams};

int main(void)
{
    struct animal one;
    one.methods = &dog;
    one.grams = input(1) * 100;
    if (input(0) % 2)
        one.methods = &bird;
    observe(one.methods->legs(&one));
    observe(one.methods->weight(&one));
    return 0;
}
