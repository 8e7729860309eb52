// A map is written through what its subscript returns.
#include <map>
#include <string>
#include "observe.h"

int main()
{
    std::map<std::string, int> m;
    int noise = 0;
    m["a"] = input(0);
    m["b"] = input(1);
    m["a"] += 5;
    noise++;
    auto it = m.find("a");
    if (it != m.end())
        it->second++;
    observe(m["a"]);
    observe(m.size());
    observe(noise);
    return 0;
}
