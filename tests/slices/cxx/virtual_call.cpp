// The function that is called is the object's.
#include "observe.h"

struct Shape {
    int side = 0;
    virtual int area() { return 0; }
    virtual ~Shape() {}
};

struct Square : Shape {
    int area() override
    {
        int a = side * side;
        return a;
    }
};

struct Line : Shape {
    int area() override
    {
        int a = side;
        return a;
    }
};

int main()
{
    Square s;
    Line l;
    Shape *shape;
    int unused = 1;
    s.side = input(0);
    l.side = input(1);
    unused += s.side;
    if (input(2) % 2)
        shape = &s;
    else
        shape = &l;
    observe(shape->area());
    observe(unused);
    return 0;
}
