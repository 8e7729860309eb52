// Lines that have the numbers of others. `-3` stands for the number of the line three further up.
static void work(int n) {
    for (int i = 0; i < n; i++) {
        stand();
        tick(1);
#line -3
        stand();
        tick(2);
        stand();
        tick(3);
    }
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    stand();
    tick(1);
    stand();
    tick(2);
    work(2);
    if (!last) printf("%lu\n", calls);
    return 0;
}
