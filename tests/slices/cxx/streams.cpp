// What is written into a stream of the library is what is read from it, though the program has no `operator<<` of its own.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include "observe.h"

struct Journal {
    std::ostringstream text;
    std::stringstream *other;
    void note(int value) { text << value << ';'; }
    void pass(int value)
    {
        *other << value << ' ';
    }
};

static void put(std::ostream &to, int value)
{
    to << std::setw(4) << value
       << " and "
       << value + 1;
}

static std::ostream &begun(std::ostream &to)
{
    to << "begun ";
    return to;
}

static int sum(const std::string &text)
{
    int all = 0;
    for (char letter : text)
        all = (all * 3 + letter) % 1000003;
    return all;
}

static int code(const std::ostringstream &text)
{
    return sum(text.str());
}

int main()
{
    int n = input(0);
    std::ostringstream plain;
    plain << n;
    observe(code(plain));
    std::ostringstream chained;
    chained << "n is " << n;
    chained << ", twice " << 2 * n << '.';
    observe(code(chained));
    std::ostringstream handed;
    put(handed, n * 100);
    observe(code(handed));
    std::ostringstream returned;
    begun(returned) << n * 1000;
    observe(code(returned));
    std::stringstream both;
    Journal journal;
    journal.other = &both;
    journal.note(n);
    journal.note(n * 10);
    journal.pass(n + 7);
    observe(code(journal.text));
    int back = 0;
    both >> back;
    observe(back);
    std::ostringstream asked;
    if (asked << n)
        observe(code(asked));
    int bits = n << 2;
    observe(bits);
    return 0;
}
