/* A recursive sum over a tree of fixed nodes. */
#include "observe.h"

struct tree {
    struct tree *left;
    struct tree *right;
    int weight;
};

static int visits;

static int sum(const struct tree *t)
{
    if (!t)
        return 0;
    visits++;
    return sum(t->left) + t->weight + sum(t->right);
}

int main(void)
{
    struct tree a = {0, 0, 1};
    struct tree b = {0, 0, 2};
    struct tree top = {&a, &b, 3};
    b.weight = input(0);
    a.left = 0;
    observe(sum(&top));
    observe(visits);
    return 0;
}
