// A container asks its elements for their order.
#include <set>
#include "observe.h"

static int asked = 0;

struct Item {
    int key;
    int weight;
    Item(int k, int w) : key(k), weight(w) {}
    bool operator<(const Item &o) const
    {
        asked = 1;
        return key < o.key;
    }
};

int main()
{
    std::set<Item> items;
    int noise = 0;
    items.insert(Item(input(0), 1));
    items.insert(Item(input(1), 2));
    items.insert(Item(input(2), 3));
    noise++;
    observe(items.begin()->key);
    observe(items.size());
    observe(asked);
    observe(noise);
    return 0;
}
