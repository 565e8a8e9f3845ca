#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID avxvnni
#include "cpu/vec_avxvnni.h"

#include "cpu/body.h"
