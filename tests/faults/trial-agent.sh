# The command of an agent in a kill trial: `sh trial-agent.sh LEDGER MARKER`. What it does follows from the first word of the title.
#
# It writes a file that belongs to its lease alone, and notes in the ledger that it is written: from then on the file must
# not be lost. Whatever it starts carries the marker in its arguments.
ledger=$1
marker=$2
read -r kind rest
token=$FT_LEASE
mkdir -p out
printf '%s\n' "$token" > "out/$token.txt"
case $kind in
  big) head -c 300000 /dev/zero | tr '\0' "$(printf %s "$token" | tail -c 1)" > "out/$token.big" ;;
  same) sleep 0.1; printf '%s\n' "$token" > same.txt ;;
  committed) git switch -qc mine; git add -A; git commit -qm mine; git switch -q main ;;
  stashed) git add -A; git stash -q ;;
  inside) mkdir -p inner; mv "out/$token.txt" inner/; (cd inner; git init -q); mkdir -p out ;;
  deleted) rm -rf .git ;;
esac
echo "$kind $token" >> "$ledger/written"
# A child that would live on, as a server that an agent had started.
sh -c 'sleep 1000; exit' "$marker" &
case $kind in
  held) until [ -e "$ledger/go" ]; do sleep 0.02; done ;;
  failing) exit 1 ;;
  nothing) rm "out/$token.txt"; echo "gone $token" >> "$ledger/written" ;;
  killed | committed | stashed | inside | deleted) kill -9 $$ ;;
esac
exit 0
