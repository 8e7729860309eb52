/* The shadow stack of a logging build, and the external functions.
 *
 * At every call of an external function, and around every statement without a call, one line is printed: the external
 * function (or "-"), then for every frame, outermost first, its function, where it is, and its variables:
 *     w1|main:12:i=3,t=0x1p-1|f0:4:a=1
 * The results of external functions are those of externals.rs.
 */
#include "log.h"
#include "mpi.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct variable {
  const char *name;
  int type;
  const void *address;
};
struct frame {
  const char *function;
  int site, variables;
  struct variable variable[128];
};
static struct frame stack[256];
static int depth, events;
static uint64_t calls[16], broadcasts;

static uint64_t setting(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, 0, 10) : 0;
}

static uint64_t mix(uint64_t seed) {
  uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int hx_enter(const char *function) {
  if (depth == 256) exit(3);
  stack[depth].function = function;
  stack[depth].site = 0;
  stack[depth].variables = 0;
  return depth++;
}

void hx_leave(int *frame) { depth = *frame; }

static void see(int site, va_list list) {
  struct frame *top = &stack[depth - 1];
  top->site = site;
  top->variables = 0;
  for (;;) {
    const char *name = va_arg(list, const char *);
    if (!name) return;
    struct variable *v = &top->variable[top->variables];
    v->name = name;
    v->type = va_arg(list, int);
    v->address = va_arg(list, const void *);
    if (top->variables < 127) top->variables++;
  }
}

static void show(const struct variable *v) {
  printf("%s=", v->name);
  switch (v->type) {
  case 'i': printf("%d", *(const int *)v->address); break;
  case 'l': printf("%ld", *(const long *)v->address); break;
  case 'u': printf("%u", *(const unsigned *)v->address); break;
  case 'z': printf("%zu", *(const size_t *)v->address); break;
  case 'c': printf("%d", *(const unsigned char *)v->address); break;
  case 'f': printf("%.17g", *(const float *)v->address); break;
  case 'd': printf("%.17g", *(const double *)v->address); break;
  }
}

static void record(const char *leaf) {
  if (events++ == (int)setting("HX_BUDGET")) {
    fflush(stdout);
    _Exit(0);
  }
  printf("%s", leaf);
  for (int i = 0; i < depth; i++) {
    printf("|%s:%d:", stack[i].function, stack[i].site);
    for (int k = 0; k < stack[i].variables; k++) {
      if (k) putchar(',');
      show(&stack[i].variable[k]);
    }
  }
  putchar('\n');
}

void hx_at(int site, ...) {
  va_list list;
  va_start(list, site);
  see(site, list);
  va_end(list);
}

void hx_stop(int site, ...) {
  va_list list;
  va_start(list, site);
  see(site, list);
  va_end(list);
  record("-");
}

static int result(const char *name, int index, int argument) {
  record(name);
  uint64_t hash = mix(setting("HX_RUN") ^ mix((uint64_t)index << 32 | calls[index]++));
  if (!strcmp(name, "more")) return hash % 4 != 0;
  if (!strcmp(name, "coin")) return hash % 2 == 0;
  if (!strcmp(name, "cond")) return hash % 5 != 0;
  if (!strcmp(name, "same")) return argument;
  if (!strcmp(name, "after")) return argument + 1;
  return (int)(hash % 4);
}

#define EXTERNAL(name, index) \
  int name(int x) { return result(#name, index, x); }
EXTERNAL(w1, 0)
EXTERNAL(w2, 1)
EXTERNAL(w3, 2)
EXTERNAL(w4, 3)
EXTERNAL(w5, 4)
int pair(int a, int b) { (void)b; return result("pair", 5, a); }
EXTERNAL(more, 6)
EXTERNAL(coin, 7)
EXTERNAL(val, 8)
EXTERNAL(cond, 9)
EXTERNAL(same, 10)
EXTERNAL(after, 11)
EXTERNAL(MPI_Start, 12)
EXTERNAL(MPI_Wait, 13)
EXTERNAL(MPI_Send, 14)
EXTERNAL(MPI_Recv, 15)

int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; record("MPI_Init"); return 0; }
int MPI_Barrier(int communicator) { (void)communicator; record("MPI_Barrier"); return 0; }
int MPI_Comm_rank(int communicator, int *rank) {
  (void)communicator;
  record("MPI_Comm_rank");
  *rank = (int)setting("HX_RANK");
  return 0;
}
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator) {
  (void)count, (void)type, (void)root, (void)communicator;
  record("MPI_Bcast");
  *(int *)buffer = (int)(mix(setting("HX_SEED") ^ mix(broadcasts++) ^ 0xb0ad) % 3) + 1;
  return 0;
}
