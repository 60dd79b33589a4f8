# Prints the command lines of processes that commands left behind. Commands of agents carry their job's name; services are
# started beside the journal and carry none.
for dir in /proc/[0-9]*; do
  job=
  while IFS= read -r -d '' entry; do [[ $entry == POINTSMAN_JOB=* ]] && job=$entry; done 2> /dev/null < "$dir/environ"
  [[ -n $job ]] || continue
  words=()
  while IFS= read -r -d '' word; do words+=("$word"); done 2> /dev/null < "$dir/cmdline"
  (( ${#words[@]} == 0 )) || printf '%.200s\n' "${words[*]}"
done
