#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID sse41
#include "cpu/vec_sse41.h"

#include "cpu/body.h"
