// A wrapper that is inlined everywhere: the last call of a function that is inlined, too, may be made by an instruction of the function around it.
static void send(void) {
    MPI_Stand();
}

static void phase(int n, int *k) {
    send();
    send();
    send();
    *k = n;
    send();
}

int main(int argc, char **argv) {
    last = argc > 1 ? strtoul(argv[1], 0, 10) : 0;
    char text[12];
    int k = 0;
    send();
    switch (hide(2) % 5) {
    case 0:
        send();
        break;
    case 1:
    case 2:
        phase(hide(1), &k);
        break;
    default:
        send();
        sprintf(text, "%d", hide(1));
        if (text[0]) send();
    }
    sprintf(text, "%d", hide(4));
    if (text[0]) send();
    if (!last) printf("%lu\n", calls);
    return 0;
}
