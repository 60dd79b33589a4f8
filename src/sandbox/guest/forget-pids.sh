# Removes pid files that name nobody, or a stranger by now: those of a frame's own time, and of what has died. One that was
# written in this container by what still runs is left, for its daemon may end without it.
while read -r word value _; do [[ $word == btime ]] && booted=$value; done < /proc/stat
read -r stat < /proc/1/stat
read -r -a since <<< "${stat##*) }"
begun=$(( booted + since[19] / $(getconf CLK_TCK 2> /dev/null || echo 100) ))
find /run /var/lib -name '*.pid' | while IFS= read -r file; do
  pid=
  read -r pid < "$file"
  [[ $pid =~ ^[0-9]+$ && -d /proc/$pid ]] && (( $(stat -c %Y "$file") >= begun )) || rm -f "$file"
done
