#include "table.hpp"
#include <stdexcept>

void Table::put(const std::string &key, double value)
{
    values_[key] = value;
}

double Table::get(const std::string &key) const
{
    auto found = values_.find(key);
    if (found == values_.end())
        throw std::out_of_range(key); /* BUG: what is absent counts as zero */
    return found->second;
}
