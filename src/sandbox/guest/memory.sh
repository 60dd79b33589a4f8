# Tells a command that the kernel killed for want of memory from one that failed. Reads files only: there may be no room for
# another process. Sourced by the journal, and put before the command of a throw-away container.

out_of_memory_kills() { # REPLY: processes of this container that were killed at its memory limit
  local file=/sys/fs/cgroup/memory.events word count
  [[ -e $file ]] || file=/sys/fs/cgroup/memory/memory.oom_control
  REPLY=0
  while read -r word count; do
    [[ $word != oom_kill ]] || REPLY=$count
  done 2> /dev/null < "$file"
}

say_out_of_memory() { # KILLS_BEFORE: one line where there are more by now
  local limit=0 file
  out_of_memory_kills
  (( REPLY > $1 )) || return 0
  for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
    { read -r limit < "$file"; } 2> /dev/null && break
  done
  printf 'out of memory: the kernel killed a process at the limit of %s MiB (memoryMiB of the sandbox)\n' "$(( limit / 1048576 ))"
}
