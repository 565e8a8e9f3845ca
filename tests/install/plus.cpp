// The header from C++: types, initialisers and a call.
#include <swathe/swathe.h>

int main()
{
    swathe_shape shape = {};
    auto options = SWATHE_INIT(swathe_plan_options);
    shape.width = shape.height = 7;
    shape.channels = 3;
    shape.type = SWATHE_U16;
    int64_t bytes = 0;
    if (swathe_shape_bytes(&shape, &bytes) != SWATHE_OK || options.struct_size != sizeof options)
        return 1;
    return bytes == 7 * 7 * 3 * 2 ? 0 : 1;
}
