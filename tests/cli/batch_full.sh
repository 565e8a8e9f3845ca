# A full disk stops a batch; finished results are kept, and the rest is written once there is space.
. "$HERE/common.inc"
unshare -rm true 2>/dev/null || skip "a full disk (cannot create namespaces here)"
for n in 1 2 3 4 5 6 7 8; do pnm 200 100 3 $n > $n.ppm; done
mkdir small
cat > inside.sh <<'SH'
mount -t tmpfs -o size=256k none small || exit 77
"$SWATHE" batch sharpen [1-8].ppm --out small --threads 1
echo "exit $?"
ls -A small
mount -o remount,size=8m small
"$SWATHE" batch sharpen [1-8].ppm --out small --threads 1 --resume
echo "exit $?"
ls -A small
SH
unshare -rm sh inside.sh > said.txt 2>&1
[ $? -ne 77 ] || skip "a full disk (cannot mount here)"
sed -e "s|$BATCH_TIMES|, S s, R/s|" said.txt
