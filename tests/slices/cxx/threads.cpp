// Threads, which call the function that they are made of.
#include "observe.h"
#include <functional>
#include <thread>

static void twice(int a, int *b)
{
    *b = a * 2;
}

static void add(int a, int &b)
{
    b += a;
}

struct Plain {
    int done = 0;
    std::thread thread;
    Plain() : thread(twice, input(2), &done)
    {
        thread.join();
    }
};

int main()
{
    int pointed = 0, referred = 1, braced = 0, captured = 0;
    std::thread first(twice, input(3), &pointed);
    std::thread second(add, input(4), std::ref(referred));
    std::thread third{twice, input(5), &braced};
    std::thread fourth([&captured] {
        captured = input(6);
    });
    first.join();
    second.join();
    third.join();
    fourth.join();
    Plain plain;
    int noise = input(7);
    observe(pointed);
    observe(referred);
    observe(braced);
    observe(captured);
    observe(plain.done);
    observe(noise);
    return 0;
}
