// Threads that are made with an object, or by others: in lists of members, in containers, behind pointers, of member functions.
#include "observe.h"
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

struct InList {
    int given, result = 0;
    std::thread thread;
    explicit InList(int v) : given(v), thread(&InList::loop, this) {}
    void loop()
    {
        int twice = given * 2;
        result = twice + 1;
    }
};

struct InBraces {
    int given, result = 0;
    std::thread thread;
    explicit InBraces(int v) : given(v), thread{&InBraces::loop, this} {}
    void loop()
    {
        int more = given + 20;
        result = more;
    }
};

struct OfParameter {
    int result = 0;
    std::thread thread;
    OfParameter(void (*work)(int *, int), int v) : thread(work, &result, v) {}
};

struct ByDefault {
    int given = input(0), result = 0;
    std::thread thread{&ByDefault::loop, this};
    void loop()
    {
        int less = given - 7;
        result = less;
    }
};

struct Behind {
    int given, result = 0;
    std::unique_ptr<std::thread> thread;
    explicit Behind(int v) : given(v), thread(std::make_unique<std::thread>(&Behind::loop, this)) {}
    void loop()
    {
        int squared = given * given;
        result = squared;
    }
};

struct Pool {
    int base, sums[2] = {0, 0};
    std::vector<std::thread> threads;
    explicit Pool(int v) : base(v)
    {
        for (int i = 0; i < 2; i++)
            threads.emplace_back(&Pool::work, this, i);
    }
    void work(int which)
    {
        int term = base + which;
        sums[which] = term;
    }
    void wait()
    {
        for (auto &each : threads)
            each.join();
    }
};

struct Asked {
    int given;
    std::future<int> answer;
    explicit Asked(int v) : given(v), answer(std::async(std::launch::async, &Asked::compute, this)) {}
    int compute()
    {
        int third = given * 3;
        return third;
    }
};

static void nine(int *to, int v)
{
    *to = v + 9;
}

static int flag = 0;

static void raise()
{
    flag = input(1);
}

int main()
{
    int a = input(2);
    InList in_list{a};
    in_list.thread.join();
    observe(in_list.result);
    int b = input(3);
    InBraces in_braces{b};
    in_braces.thread.join();
    observe(in_braces.result);
    int c = input(4);
    OfParameter of_parameter{nine, c};
    of_parameter.thread.join();
    observe(of_parameter.result);
    ByDefault by_default;
    by_default.thread.join();
    observe(by_default.result);
    int d = input(5);
    Behind behind{d};
    behind.thread->join();
    observe(behind.result);
    int e = input(6);
    Pool pool{e};
    pool.wait();
    observe(pool.sums[1]);
    int f = input(7);
    Asked asked{f};
    observe(asked.answer.get());
    std::thread raised{raise};
    raised.join();
    observe(flag);
    int local = 0, g = input(8);
    auto body = [&local, g] {
        int half = g / 2;
        local = half;
    };
    std::thread of_lambda{body};
    of_lambda.join();
    observe(local);
    return 0;
}
