// An object tells others where it is.
#include "observe.h"

struct Node {
    int v = 0;
    Node *peer = nullptr;
    void join(Node *other)
    {
        peer = other;
        other->peer = this;
    }
    void push(int k) { peer->v += k; }
};

int main()
{
    Node a;
    Node b;
    Node c;
    a.join(&b);
    b.push(input(0));
    c.v = input(1);
    observe(a.v);
    observe(c.v);
    return 0;
}
