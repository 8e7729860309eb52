#include "solver.hpp"
#include <sstream>
#include <vector>

void Settings::parse(const std::string &text)
{
    std::istringstream in(text);
    std::string key;
    double value;
    while (in >> key >> value)
        values_[key] = value;
}

int Settings::number(const std::string &key, int otherwise) const
{
    auto found = values_.find(key);
    return found == values_.end() ? otherwise : static_cast<int>(found->second);
}

double Settings::real(const std::string &key, double otherwise) const
{
    auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
}

void Settings::share(MPI_Comm comm)
{
    static const char *const keys[] = {"most", "limit"}; /* BUG: the sweeps are not among them */
    for (const char *key : keys) {
        double value = real(key, 0);
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm);
        values_[key] = value;
    }
}
