// Strings of the library.
#include <string>
#include "observe.h"

int main()
{
    std::string s = "ab";
    std::string t;
    int noise = 1;
    s += "cd";
    t = s;
    if (input(0) > 4)
        t.append("x");
    s.clear();
    noise++;
    observe(t.size());
    observe(t[1]);
    observe(s.size());
    observe(noise);
    return 0;
}
