// Objects on the heap.
#include "observe.h"

static int ended = 0;

struct Node {
    int v;
    Node *next;
    Node(int x, Node *n) : v(x), next(n) {}
    virtual ~Node() { ended += v; }
};

int main()
{
    Node *list = nullptr;
    int noise = 1;
    for (int i = 0; i < 3; i++)
        list = new Node(input(i), list);
    noise++;
    int sum = 0;
    while (list) {
        Node *next = list->next;
        sum = sum * 10 + list->v;
        delete list;
        list = next;
    }
    observe(sum);
    observe(ended);
    observe(noise);
    return 0;
}
