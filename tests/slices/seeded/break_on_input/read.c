#include "table.h"
#include <stdlib.h>

const char *source_of(int rank)
{
    static const char *text[] = {"0 1\n1 2\n2 5\n", "0 4\n1 x\n", "0 0\n1 1\n3 4\n4 4\n", "0 2\n2 2\n"};
    return text[rank % 4];
}

int table_read(struct table *t, const char *text)
{
    t->rows = 0;
    while (*text) {
        char *end;
        struct row row;
        row.x = strtod(text, &end);
        if (end == text)
            return -1;
        text = end;
        row.y = strtod(text, &end);
        if (end == text)
            return -1;
        text = end;
        while (*text == '\n')
            text++;
        t->row[t->rows++] = row;
    }
    return t->rows;
}

double table_at(const struct table *t, double x)
{
    for (int i = 1; i < t->rows; i++)
        if (x <= t->row[i].x)
            return t->row[i - 1].y + (x - t->row[i - 1].x) * (t->row[i].y - t->row[i - 1].y) / (t->row[i].x - t->row[i - 1].x);
    return 0;
}
