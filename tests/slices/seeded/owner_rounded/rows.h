struct table {
    int rows, rank, size, each, first, last;
    double value[64];
    double seen;
};

void lay_out(struct table *t, int rows);
int owner(const struct table *t, int row);
void fetch(struct table *t, int row, int who);
