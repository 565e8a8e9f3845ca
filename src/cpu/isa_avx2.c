#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID avx2
#include "cpu/vec_avx2.h"

#include "cpu/body.h"
