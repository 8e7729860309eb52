/* Counters that find no register, in functions with arrays, structures and numbers in memory that others write to. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct pair { int first, second; };
struct large { long part[6]; };

__attribute__((noinline, noipa)) static int mix(int a, int b) { return (a * 31 + b) & 1023; }
__attribute__((noinline, noipa)) static void fill(int *to, int count, int with)
{
    for (int i = 0; i < count; i++)
        to[i] = mix(with, i);
}
__attribute__((noinline, noipa)) static void raise_both(struct pair *pair, int by)
{
    pair->first += by;
    pair->second += mix(pair->first, by);
}
__attribute__((noinline, noipa)) static struct large made(int from)
{
    struct large large;
    for (int i = 0; i < 6; i++)
        large.part[i] = from + i;
    return large;
}
__attribute__((noinline, noipa)) static long sum(struct large large, const int *three)
{
    long total = 0;
    for (int i = 0; i < 6; i++)
        total += large.part[i];
    return total + three[0] + three[1] + three[2];
}

/* Requests by index, as programs of MPI have them, and elements before and behind the one at hand. */
__attribute__((noinline, noipa)) static int requests(int a, int b, int c, int d, int e, int f, int n)
{
    int request[8], status[12], total = 0;
    for (int step = 0; step < n; step++) {
        fill(request, 8, step);
        for (int k = 1; k < 8; k++) {
            request[k] += mix(request[k - 1], a);
            status[k + 3] = mix(request[k], b + c);
            status[k] = k;
        }
        for (int k = 7; k >= 0; k--)
            total += mix(status[k + 1], request[k]) + mix(d, e) + mix(f, step);
        for (int *at = status + 4; at != status + 11; at++)
            total += mix(*at, total);
        a = mix(a, b);
        b = mix(b, c);
        c = mix(c, d);
        d = mix(d, e);
        e = mix(e, f);
        f = mix(f, a);
    }
    return total + a + b + c + d + e + f;
}

static inline int median(int a, int b, int c)
{
    int three[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (three[j] < three[i]) {
                int kept = three[i];
                three[i] = three[j];
                three[j] = kept;
            }
    return three[mix(a, b) & 1 ? 1 : 0];
}

/* What has its place in memory for a part of the function only, and what is inlined there. */
__attribute__((noinline, noipa)) static int parts(int a, int b, int c, int d, int e, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int got = i;
        struct pair pair = {i, a};
        raise_both(&pair, b);
        fill(&got, 1, c);
        total += mix(pair.second, got) + median(total, d, e);
        {
            int early[16];
            fill(early, 16, i);
            total += early[mix(i, a) & 15];
        }
        for (int j = 0; j < 3; j++) {
            struct pair late[8];
            memset(late, j, sizeof late);
            raise_both(&late[j + 2], b);
            total += mix(late[(j + 2) & 7].second, late[j].first) + mix(e, j);
        }
        a = mix(a, i);
        b = mix(b, a);
        c = mix(c, b);
        d = mix(d, c);
        e = mix(e, d);
    }
    return total + a + b + c + d + e;
}

/* Objects without a name: what a function returns in memory, what is passed there, and an array that is written where it is needed. */
__attribute__((noinline, noipa)) static long unnamed(int a, int b, int c, int d, int e, int n)
{
    long total = 0;
    int table[4][5];
    for (int i = 0; i < n; i++) {
        fill(&table[i & 3][0], 5, i);
        total += sum(made(i), (int[]){i, a, b}) + table[(i + 1) & 3][i % 5];
        for (int j = i; j < i + 2; j++)
            total += mix(table[j & 3][2], (int)made(j).part[j % 6]) + mix(c, d) + mix(e, j);
        a = mix(a, b);
        b = mix(b, c);
        c = mix(c, d);
        d = mix(d, e);
        e = mix(e, a);
    }
    return total + a + b + c + d + e;
}

int main(void)
{
    raise(SIGSTOP);
    printf("%d\n", requests(1, 2, 3, 4, 5, 6, 5));
    printf("%d\n", parts(1, 2, 3, 4, 5, 5));
    printf("%ld\n", unnamed(1, 2, 3, 4, 5, 5));
    return 0;
}
