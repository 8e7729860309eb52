/* Structures that compilers take apart: each member in a register of its own, or two in one, or some nowhere. */

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

struct range {
    int first, last;
    long step;
};

struct where {
    short row, column;
};

struct cursor {
    const double *at, *end;
    unsigned seen;
};

struct nested {
    char tag;
    struct range of;
};

static const double field[12] = {1, 2, 3};
volatile long sink;

ALONE void visit(long value)
{
    sink += value;
}

ALONE void rows(struct range of)
{
    for (; of.first < of.last; of.first += of.step)
        visit(of.first * 3);
    visit(of.step);
}

ALONE void grid(int n)
{
    struct nested at;

    at.tag = (char)n;
    for (at.of.first = 0; at.of.first < n; at.of.first++)
        for (at.of.step = n; at.of.step > 0; at.of.step -= 2)
            visit(at.of.first + at.of.step * at.tag);
}

ALONE void corner(struct where at)
{
    for (; at.column < 5; at.column++)
        visit(at.row + at.column);
    visit(at.row);
}

ALONE void walk(const double *from, int count)
{
    struct cursor c = {from, from + count, 0};

    while (c.at != c.end) {
        visit((long)*c.at + c.seen);
        c.seen++;
        c.at++;
    }
    visit(c.seen);
}

int main(void)
{
    struct range of = {2, 11, 3};
    struct where at = {7, 1};

    rows(of);
    grid(4);
    corner(at);
    walk(field, 12);
    return 0;
}
