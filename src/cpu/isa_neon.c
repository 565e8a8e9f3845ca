#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID neon
#include "cpu/vec_neon.h"

#include "cpu/body.h"
