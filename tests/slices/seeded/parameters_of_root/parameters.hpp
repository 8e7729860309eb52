#pragma once
#include <map>
#include <string>

class Parameters {
public:
    static Parameters &get();
    void set(const std::string &name, int value) { values_[name] = value; }
    int number(const std::string &name, int otherwise) const;

private:
    std::map<std::string, int> values_;
};

void parse(Parameters &parameters, const std::string &text);
void load(int rank);
