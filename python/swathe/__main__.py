"""`python -m swathe` is the command `swathe`."""
from _swathe_command import main

main()
