// Pointers to members: of data, of functions, in tables, handed over and kept.
#include "observe.h"

struct Device {
    int low;
    int high;
    int (Device::*how)(int);
    void raise(int k) { high += k; }
    void lower(int k) { low -= k; }
    int scaled(int k) { return high * k; }
    int plain(int k) { return high + k; }
    void run(void (Device::*step)(int), int k) { (this->*step)(k); }
};

typedef void (Device::*Step)(int);
typedef int Device::*Field;

static Step const steps[] = {&Device::raise, &Device::lower};

static void set(Device &device, Field field, int value)
{
    device.*field = value;
}

int main()
{
    Device d;
    d.low = 1;
    d.high = 2;
    int which = input(0) > 4;
    int unused = input(1);
    set(d, &Device::low, unused);
    set(d, &Device::high, 5);
    (d.*steps[0])(3);
    (d.*steps[which])(4);
    d.run(&Device::raise, 2);
    d.how = which ? &Device::scaled : &Device::plain;
    Device *p = &d;
    int (Device::*how)(int) = p->how;
    observe((p->*how)(3));
    Field field = &Device::high;
    observe(p->*field);
    return 0;
}
