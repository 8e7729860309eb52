/* Real numbers until little changes. */
#include "observe.h"

int main(void)
{
    double x = 1.0;
    double a = input(0) + 2.0;
    double change = 1.0;
    int rounds = 0;
    double noise = 0.0;
    while (change > 1e-9 || change < -1e-9) {
        double next = 0.5 * (x + a / x);
        change = next - x;
        noise += change;
        x = next;
        rounds++;
    }
    observe((long) (x * 1000));
    observe(rounds);
    return 0;
}
