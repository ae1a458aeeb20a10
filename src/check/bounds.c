/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.c - compares fractions with bounds, exactly. */
#include "check/bounds.h"
#include <string.h>

__extension__ typedef unsigned __int128 wide;

bool lethe_is_over_fraction(uint64_t with, uint64_t of, uint64_t num, uint64_t den)
{
    assert(of > 0 && den > 0);
    return (wide)with * den > (wide)num * of;
}

/* A number as quarters * 2^-shift, for quarters below 2^56. */
struct binary {
    uint64_t quarters;
    int shift;
};

/* Of a double above 0: four times its mantissa, from its bits.  The numbers that are read as it
 * reach from half a unit of the mantissa below to half a unit above. */
static struct binary binary_of(double x)
{
    enum { FRACTION = 52, BIAS = 1075 };
    const uint64_t one = UINT64_C(1) << FRACTION;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> FRACTION); // the sign is 0
    uint64_t mantissa = exponent > 0 ? one | (bits & (one - 1)) : bits;
    return (struct binary){4 * mantissa, BIAS + 2 - LETHE_MAX(exponent, 1)};
}

bool lethe_is_over_share(uint64_t with, uint64_t of, double share)
{
    assert(of > 0 && share >= 0 && share <= 1);
    if (share == 0 || with == 0) return with > 0;
    struct binary most = binary_of(share); // shift is 54 at least
    most.quarters += 2;
    if (64 - __builtin_clzll(with) + most.shift > 127) return true; // the right side is below 2^120
    return (wide)with << most.shift > (wide)most.quarters * of;
}

/* with/of > 1/l is l > of/with: of all that is read as l, the least is. */
bool lethe_is_over_part(uint64_t with, uint64_t of, double l)
{
    assert(of > 0 && l >= 1);
    if (with == 0 || l >= 0x1p62) return with > 0 && (l >= 0x1p64 || (wide)with * (uint64_t)l > of);
    struct binary least = binary_of(l); // shift is 54 at most
    bool is_power = (least.quarters & (least.quarters - 1)) == 0;
    least.quarters -= is_power ? 1 : 2; // units below a power of two are half as large
    if (least.shift < 0) least = (struct binary){least.quarters << -least.shift, 0};
    return (wide)least.quarters * with > (wide)of << least.shift;
}

bool lethe_is_within_power(const lethe_kl *kl, uint64_t positive, uint64_t leaves)
{
    return !(positive > kl->m || leaves > kl->n);
}

bool lethe_is_naming(const lethe_kl *kl, uint64_t sets) { return sets != 0 && sets < kl->k; }
