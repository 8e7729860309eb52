#include "wave.hpp"

std::vector<Medium> layers()
{
    return {{1.0}, {1.0}, {1.6}, {1.2}};
}
