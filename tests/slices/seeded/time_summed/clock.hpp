#pragma once
#include <vector>

class Clock {
    double now = 0, end;
    int parts;

public:
    Clock(double until, int pieces) : end(until), parts(pieces) {}
    bool goes_on() const;
    void advance(double step);
};

struct Field {
    std::vector<double> values;
    double norm = 0;
    explicit Field(int count) : values(count, 1.0) {}
    void relax();
    double local() const;
};

double reduced(double local);
