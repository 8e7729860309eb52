// What programs of Fortran are linked with, behind what counts the calls: its parts by the names of Fortran.
__attribute__((constructor)) static void begin(int argc, char **argv) {
    if (argc > 1)
        last = strtoul(argv[1], NULL, 10);
}

void mpi_stand_(void) { count(); }

int hide_(const int *x) { return hide(*x); }

void report_(void) {
    printf("%lu\n", calls);
    fflush(stdout);
}
