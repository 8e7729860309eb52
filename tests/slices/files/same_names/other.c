static int state = 100;

static int step(int n)
{
    state -= n;
    return state;
}

int from_other(int n)
{
    int noise = 3;
    noise = noise + n;
    return step(n);
}
