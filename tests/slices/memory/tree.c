/* A binary tree. */
#include "observe.h"
#include <stdlib.h>

struct tree {
    struct tree *left;
    struct tree *right;
    int key;
    int depth;
};

static struct tree *insert(struct tree *t, int key, int depth)
{
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
        t->depth = depth;
        return t;
    }
    if (key < t->key)
        t->left = insert(t->left, key, depth + 1);
    else
        t->right = insert(t->right, key, depth + 1);
    return t;
}

static int smallest(const struct tree *t)
{
    while (t->left)
        t = t->left;
    return t->key;
}

static void forget(struct tree *t)
{
    if (!t)
        return;
    forget(t->left);
    forget(t->right);
    free(t);
}

int main(void)
{
    struct tree *root = 0;
    int i;
    for (i = 0; i < 5; i++)
        root = insert(root, input(i), 0);
    observe(smallest(root));
    forget(root);
    return 0;
}
