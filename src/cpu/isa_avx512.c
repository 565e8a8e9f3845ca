#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID avx512
#include "cpu/vec_avx512.h"

#include "cpu/body.h"
