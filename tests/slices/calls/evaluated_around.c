/* Calls that are kept for what they write, in expressions whose value nobody needs; arguments that are read through lists and tables. */
#include "observe.h"
#include <stdlib.h>
#include <string.h>

struct list { int v; struct list *next; int row[4]; };
typedef int (*action)(int, int);
static int keep(int a, int b) { (void)b; return a; }
static int other(int a, int b) { (void)a; return b; }
static struct list *tail(struct list *l) { while (l->next) l = l->next; return l; }
static int deep(int n, struct list l) { (void)l; return n; }
static int count;
static int bump(int *p) { *p += 1; count++; return *p; }
static void set(int *out, int v, int ignored) { (void)ignored; *out = v; }
#define PICK(a, b) keep((a), (b))

int main(void)
{
    int a = input(0);
    int which = input(1);
    struct list *l = malloc(sizeof *l);
    memset(l, 0, sizeof *l);
    l->next = malloc(sizeof *l);
    memset(l->next, 0, sizeof *l);
    action table[2] = {keep, other};
    action f = table[0];
    action *g = table;
    int idx = which % 4;
    int *pidx = &idx;
    observe(keep(a, tail(l)->v));
    observe(deep(a, *tail(l)));
    observe(f(a, l->next->row[*pidx]));
    observe(g[0](a, bump(&l->next->v)));
    observe(PICK(a + 1, l->next->row[idx]));
    int result;
    set(&result, a + 3, l->next->v);
    observe(result);
    set(&result, a + 4, which > 3 ? l->next->v : l->v);
    observe(result);
    if (keep(a, l->next->v) > 3)
        observe(1);
    for (int i = 0; i < keep(3, *pidx); i++)
        count += 2;
    observe(count);
    observe(keep(a, which / (which + 1)));
    return 0;
}
