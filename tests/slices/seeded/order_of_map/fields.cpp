#include "ghost.hpp"

void Fields::add(const std::string &name, double first)
{
    fields_[name] = std::vector<double>(16, first);
}

void register_fields(Fields &fields, int rank)
{
    fields.add("density", 1 + rank);
    fields.add("pressure", 2);
    if (rank % 2 == 0)
        fields.add("dye", 0.5); /* BUG: a field has to be on all ranks */
    fields.add("velocity", 0.1 * rank);
}
