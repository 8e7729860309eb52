/* Processes that fork, execute others, load libraries and end threads; what each does stands in the test. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))
#define SEEN __attribute__((noinline))

SEEN static void leaf(void) { __asm__ volatile(""); }
SEEN static void in_parent(void) { leaf(); }
SEEN static void in_child(void) { leaf(); }
SEEN static void in_grandchild(void) { leaf(); leaf(); }
SEEN static void in_second_image(void) { leaf(); }

UNSEEN static void wait_for_child(void)
{
    int status;
    if (wait(&status) < 0 || status) abort();
}

SEEN static void descend(void)
{
    leaf();
    if (!fork()) {
        in_child();
        if (!fork()) {
            in_grandchild();
            _exit(0);
        }
        wait_for_child();
        return;
    }
    wait_for_child();
    in_parent();
}

SEEN static void executes(char *self)
{
    leaf();
    execl(self, self, "executed", (char *)0);
    abort();
}

SEEN static void plugs(int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        void *library = dlopen(turn % 2 ? "./second.so" : "./first.so", RTLD_NOW | RTLD_LOCAL);
        if (!library) abort();
        void (*plugged)(void) = (void (*)(void))dlsym(library, "plugged");
        if (!plugged) abort();
        plugged();
        dlclose(library);
    }
}

UNSEEN static void *sleeps(void *none) { sleep(1000); return none; }

SEEN static void plugs_beside_a_thread(void)
{
    pthread_t one;
    if (pthread_create(&one, NULL, sleeps, NULL)) abort();
    plugs(2);
}

SEEN static void *thread(void *none) { leaf(); return none; }

/* Mappings of this process. */
UNSEEN static int mappings(void)
{
    int lines = 0, byte;
    FILE *maps = fopen("/proc/self/maps", "r");
    while ((byte = getc(maps)) != EOF) lines += byte == '\n';
    fclose(maps);
    return lines;
}

SEEN static void threads(int count)
{
    int before = 0;
    for (int i = 0; i < count; i++) {
        pthread_t one;
        if (pthread_create(&one, NULL, thread, NULL)) abort();
        pthread_join(one, NULL);
        if (i == 10) before = mappings();
    }
    if (mappings() > before + 10) abort();
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    if (!strcmp(argv[1], "forks")) descend();
    else if (!strcmp(argv[1], "executes")) executes(argv[0]);
    else if (!strcmp(argv[1], "executed")) in_second_image();
    else if (!strcmp(argv[1], "plugs")) plugs(6);
    else if (!strcmp(argv[1], "beside")) plugs_beside_a_thread();
    else if (!strcmp(argv[1], "threads")) threads(300);
    return 0;
}
