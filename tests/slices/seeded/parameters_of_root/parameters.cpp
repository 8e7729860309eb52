#include "parameters.hpp"
#include <sstream>

Parameters &Parameters::get()
{
    static Parameters only;
    return only;
}

int Parameters::number(const std::string &name, int otherwise) const
{
    auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
}

void parse(Parameters &parameters, const std::string &text)
{
    std::istringstream stream(text);
    std::string name;
    int value;
    while (stream >> name >> value)
        parameters.set(name, value);
}
