# Limits: each error names the value, the limit and the option that raises it.
. "$HERE/common.inc"
pnm 400 300 3 > a.ppm

# The memory needed depends on the CPU.
swathe apply gaussian:9 a.ppm b.ppm --max-memory 1K 2>message.txt
echo "exit $?"
sed -e 's/needs [0-9.]* KiB/needs N KiB/' -e 's/--max-memory.*/--max-memory .../' message.txt
check "no output file was written" test ! -e b.ppm
try apply gaussian:9 a.ppm b.ppm --max-memory 64M

echo "a border that needs the whole image from a pipe:"
cat a.ppm | swathe apply gaussian:9 - c.ppm --border wrap --max-memory 100K 2>message.txt
echo "exit $?"
sed 's/--max-memory.*/--max-memory .../' message.txt
cat a.ppm | swathe apply gaussian:9 - c.ppm --border wrap --max-memory 1M
echo "exit $?"
