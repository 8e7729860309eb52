/* What the rows of the tables name. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
extern int work(int value);
extern void peek(void);
extern int coin(int who, int round);
extern int left(int rounds);
#ifdef __cplusplus
}
#endif

struct holder { int *where; };
struct pair { int a, b; };
struct nest { struct pair in; int out; };
struct row { int list[3]; int at; };
struct fields { unsigned three : 3; int five : 5; unsigned nine : 9; unsigned char narrow; short half; float single; };
union both { int whole; float part; short halves[2]; };
enum color { RED, GREEN, BLUE };
typedef unsigned char octet;
typedef octet octets;

static int rank, spare, counter, pointed;
static int *to_pointed = &pointed;
static int *remembered;
static struct pair global_pair;

static void remember(int *p) { remembered = p; }
static void back(int *p) { *p -= 2; }
static void back_void(void *p) { *(int *)p -= 2; }
static void call_with(void (*f)(void *), void *p) { f(p); }
static void back_counter(void) { counter -= 2; }
static void exchange(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static struct pair pair_of(int a) { struct pair p = {a, a}; return p; }
static void back_pair(struct pair *p) { p->a -= 2; }
static void reset_pair(struct pair *p) { *p = (struct pair){0, 0}; }
static void clear_pair(struct pair *p) { memset(p, 0, sizeof *p); }
static void copy_pair(struct pair *p) { struct pair q = {0, 0}; *p = q; }
static void back_global_pair(void) { global_pair.a -= 2; }
static void back_from_b(int *b) { ((struct pair *)((char *)b - offsetof(struct pair, b)))->a -= 2; }
static void back_out(struct pair *in) { ((struct nest *)in)->out -= 2; }
static void set_rank_of(struct pair *p) { MPI_Comm_rank(MPI_COMM_WORLD, &p->a); }
static void set_first(int *p) { MPI_Comm_rank(MPI_COMM_WORLD, p); }
static void from_b_to_rank(int *b) { set_first(&((struct pair *)((char *)b - offsetof(struct pair, b)))->a); }
static int next(int x) { return x + 1; }
static short next_short(short x) { return x + 30000; }
static long far(long x) { return x + 1000000000; }
#define make_pair pair_of
#define BACK(x) ((x) -= 2)
#define BACK_THROUGH(p) (*(p) -= 2)
#define SWAP(T, a, b) do { T t_ = a; a = b; b = t_; } while (0)

