#!/bin/bash
# The exec journal: runs commands exactly once, inside of the container, on behalf of a worker that may die at any moment.
#
# One server answers one worker over stdin/stdout; requests are served in order. A job is a few files under $ROOT/jobs:
#   ID.cmd   first line: start time, tree that it met, kind, boot, server that made it, length; then the command. Creating it is
#            the lock: a request that is sent again finds the job and follows it instead of running it again.
#   ID.out   what it wrote    ID.keeper  who waits for it    ID.code  exit code and end: written last
#   ID.final how a long output is answered: bytes left out, bytes shown, and the file that holds them
#   ID.env   directory, variables and functions after it, for the next command to begin with
#   ID.hand.N, ID.knife.N   which server applies an edit, which cuts an output: see `falls_to_us`
# Everything lives in the container's own layer: a snapshot that holds a command's effect also holds its record. Files are
# made once and never rewritten, because rewriting costs a file system more than all else here together.
#
# Requests (a line of words, then the announced bytes):      Answers (a line of words, then the announced bytes):
#   run ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N     dir command        done ID CODE REASON START_US END_US ELIDED TREE BYTES
#   apply ID AFTER DIR_N KIND TEXT_N PATH_N N     dir text path bytes   done ...      (KIND: write, delete, none)
#   look LIMIT PATH_N                       path              file KIND PARENT BYTES  (KIND: missing, directory, file, large)
#   digest WORKDIR_N                        path              tree HASH|- 0
#   diff BASE MOST WORKDIR_N                path              patch HASH|- BYTES, or patch HASH|- large 0
#   state                                                     state BYTES
#   position                                                  position ID 0
# DIR is the work directory whose tree id the job met (DIR_N 0: none); it is taken in the idle time after the job before.
# AFTER is the job that the worker believes came last ("*": any). When it did not, the answer is `diverged LAST 0`: the
# container is not the one that the worker's transcript describes, and must be rebuilt.
#
# Needs bash >= 5, coreutils and /proc; git for digests and diffs.
set -u -m
# Lengths are bytes here; commands get the locale that the container came with.
LOCALE=${LC_ALL-unset}
declare +x LC_ALL=C
ROOT=/var/lib/pointsman
JOBS=$ROOT/jobs
STATE=$ROOT/state
KEEP=64
STARTED=0
LAST=-    # the job that came last
ENV_FROM= # the newest whole ID.env
HOME_OF_SCRIPTS=${BASH_SOURCE[0]%/*}
. "$HOME_OF_SCRIPTS/memory.sh"

mkdir -p "$JOBS" "$STATE"
# When this container was last started: PID 1's start time.
{ read -r BOOT < /proc/1/stat; } 2> /dev/null
BOOT=(${BOOT##*) })
BOOT=${BOOT[19]}
# Pid and start time together name this server for good, while pids are given again.
{ read -r BORN < "/proc/$$/stat"; } 2> /dev/null
BORN=(${BORN##*) })
BORN=${BORN[19]}
WAKE=$ROOT/wake.$$
rm -f "$WAKE"
mkfifo "$WAKE" && exec 8<>"$WAKE" && rm -f "$WAKE"
[[ -s $STATE/base ]] || compgen -e > "$STATE/base"
# What tests and editors leave behind is no change of the workspace, and its bytes differ from run to run.
[[ -s $ROOT/exclude ]] || printf '%s\n' __pycache__/ '*.pyc' .pytest_cache/ .mypy_cache/ .ruff_cache/ .hypothesis/ > "$ROOT/exclude"

now_us() { local t=$EPOCHREALTIME; REPLY=${t/./}; }

# Fails when the request ends before: its worker was killed while it wrote, and half a command must not run.
read_bytes() { # N: the next N bytes of the request; commands, paths and texts hold no NUL
  REPLY=
  (( $1 == 0 )) || IFS= read -r -N "$1" REPLY
}

# What an earlier server left: the order of the jobs, and from it the shell's state.
remember() {
  local order i
  [[ -s $STATE/order ]] || return 0
  mapfile -t order < "$STATE/order"
  LAST=${order[-1]}
  for (( i = ${#order[@]} - 1; i >= 0; i-- )); do adopt_env "${order[i]}" && return 0; done
}

# A kill while the state was written leaves it without its last line: then the one before holds.
adopt_env() { # ID
  local text
  { IFS= read -r -d '' text < "$JOBS/$1.env"; } 2> /dev/null
  [[ ${text-} == *$'\n#whole\n' ]] && ENV_FROM=$JOBS/$1.env
}

# Another server may have run jobs since: only the file knows. Reading it is cheap, and never wrong.
refresh() {
  local line last=-
  [[ ! -s $STATE/order ]] || while read -r line; do last=$line; done < "$STATE/order"
  [[ $last == "$LAST" ]] || remember
}

# Whether job $1 may start after $2 (0), is there already (1), or the container diverged (2).
admit() {
  [[ -e $JOBS/$1.cmd ]] && return 1
  [[ $2 == '*' || $2 == "$LAST" ]] || refresh
  [[ $2 == '*' || $2 == "$LAST" ]] && return 0
  printf 'diverged %s 0\n' "$LAST"
  return 2
}

# Whether the container was stopped while command $1 ran: half of its effect may be there, so nobody can go on from here.
interrupted() {
  local boot=
  [[ -s $JOBS/$1.code ]] && return 1
  recorded "$1" || return 0
  read -r _ _ _ boot _ < "$JOBS/$1.cmd"
  [[ $boot != "$BOOT" ]]
}

# Waits until the record of job $1 is whole: it is there a moment before its words are. Fails when they do not come, because
# who wrote them was killed.
recorded() {
  local length body round
  for (( round = 0; round < 100; round++ )); do
    length= body=
    { read -r _ _ _ _ _ length && IFS= read -r -d '' body; } < "$JOBS/$1.cmd"
    [[ $length == "${#body}" ]] && return 0
    read -r -t 0.02 -u 8 _ || :
  done
  return 1
}

lock() { # ID FIRST_WORDS COMMAND: fails when another server was quicker; a redirection costs no process
  local made
  set -o noclobber
  { printf '%s %s %s %s\n%s' "$2" "$BOOT" "$$" "${#3}" "$3" > "$JOBS/$1.cmd"; } 2> /dev/null
  made=$?
  set +o noclobber
  return "$made"
}

# Whether what one server at a time may do for a job falls to this one: to the first that asks, and once that one has died
# to the next. Each claim is a file of its own, numbered after that of the dead one, so nobody takes another's away; one that
# was never finished counts as held, because who makes it may still be at it.
falls_to_us() { # ID WHAT
  local claim=$JOBS/$1.$2 n made pid born
  for (( n = 0; ; n++ )); do
    set -o noclobber
    { printf '%s %s\n' "$$" "$BORN" > "$claim.$n"; } 2> /dev/null
    made=$?
    set +o noclobber
    (( made == 0 )) && return 0
    pid= born=
    { read -r pid born < "$claim.$n"; } 2> /dev/null || return 1
    [[ "$pid $born" == "$$ $BORN" ]] && return 0
    alive "$pid" "$born" && return 1
  done
}

came_last() { # ID
  printf '%s\n' "$1" >> "$STATE/order"
  LAST=$1
}

in_order() { # ID
  local id
  [[ ! -s $STATE/order ]] || while read -r id; do [[ $id != "$1" ]] || return 0; done < "$STATE/order"
  return 1
}

forget_old_jobs() {
  (( ++STARTED % KEEP == 0 )) || return 0
  local order id
  mapfile -t order < "$STATE/order"
  (( ${#order[@]} > KEEP )) || return 0
  for id in "${order[@]:0:${#order[@]}-KEEP}"; do
    [[ $ENV_FROM == "$JOBS/$id.env" ]] || (cd "$JOBS" && rm -f -- "$id".*)
  done
  printf '%s\n' ${ENV_FROM:+"$(basename "$ENV_FROM" .env)"} "${order[@]: -KEEP}" > "$STATE/order.new" && mv "$STATE/order.new" "$STATE/order"
}

# --- processes ---------------------------------------------------------------------------------------------------

# Whether $1 is a live process (zombies are not), and the one that started at clock tick $2 where that is said.
alive() {
  local stat
  { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  stat=(${stat##*) })
  [[ ${stat[0]} != Z && ${stat[19]} == "${2:-${stat[19]}}" ]]
}

# Processes of job $1 that started at clock tick $2 or later: those that carry its mark, wherever they fled to
# (setsid, nohup, double fork), and young orphans whose environment is unreadable or was cleared. No forks, so it works
# in the middle of a fork bomb.
processes_of() {
  FOUND=()
  local dir pid stat fields entry marked readable
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    (( pid == 1 || pid == $$ || pid == BASHPID )) && continue
    { read -r stat < "$dir/stat"; } 2>/dev/null || continue
    fields=(${stat##*) })
    [[ ${fields[0]} == Z ]] && continue
    (( ${fields[19]} >= $2 )) || continue
    marked= readable=
    while IFS= read -r -d '' entry; do
      readable=1
      [[ $entry == "POINTSMAN_JOB=$1" ]] && { marked=1; break; }
    done 2>/dev/null < "$dir/environ"
    if [[ -n $marked ]] || { [[ -z $readable ]] && (( ${fields[1]} == 1 )); }; then FOUND+=("$pid"); fi
  done
}

kill_tree() { # ID: TERM, half a second of grace, then KILL until nobody is left
  local born=0 round
  [[ ! -s $JOBS/$1.keeper ]] || read -r _ born < "$JOBS/$1.keeper"
  processes_of "$1" "$born"
  (( ${#FOUND[@]} == 0 )) || kill -TERM "${FOUND[@]}" 2>/dev/null
  for (( round = 0; round < 200; round++ )); do
    processes_of "$1" "$born"
    (( ${#FOUND[@]} == 0 )) && return 0
    (( round < 10 )) || kill -KILL "${FOUND[@]}" 2>/dev/null
    read -r -t 0.05 -u 8 _ || :
  done
}

# --- commands ----------------------------------------------------------------------------------------------------

# What a command writes goes through a pipe: a file that it could open anew (`> /dev/stderr`) it would cut to nothing.
start_job() { # ID
  local job=$JOBS/$1
  came_last "$1"
  (
    local stat reader kills
    { read -r stat < "/proc/$BASHPID/stat"; stat=(${stat##*) }); printf '%s %s\n' "$BASHPID" "${stat[19]}" > "$job.keeper"; }
    if [[ $LOCALE == unset ]]; then unset LC_ALL; else export LC_ALL=$LOCALE; fi
    out_of_memory_kills; kills=$REPLY
    exec 6> >(exec cat >&7 8>&-)
    reader=$!
    POINTSMAN_JOB=$1 bash --noprofile --norc -c '. "$1/shell.sh"; eval "$__pointsman_command"' bash "$HOME_OF_SCRIPTS" "$job" "$STATE/base" "$ENV_FROM" < /dev/null >&6 2>&1 6>&- 7>&- 8>&-
    local code=$?
    exec 6>&-
    drained "$reader"
    say_out_of_memory "$kills" >&7
    now_us
    printf '%s %s\n' "$code" "$REPLY" > "$job.code"
    printf 'x\n' >&8
  ) > /dev/null 2>&1 7>> "$job.out" &
}

# Waits until $1 has passed on all that a command wrote before it ended. Children that hold the pipe may write later, so its
# end is not waited for: a reader that sleeps has found the pipe empty.
drained() {
  local stat
  while { read -r stat < "/proc/$1/stat"; } 2> /dev/null; do
    stat=${stat##*) }
    [[ ${stat%% *} != [SZ] ]] || return 0
  done
}

# Whether the sandbox is about to run out of processes. bash ends when it cannot fork, and a server that ends takes the
# deadline of its job with it: so while a command runs, nothing here forks unless there is room.
crowded() {
  local current=0 max=max group=/sys/fs/cgroup
  [[ -e $group/pids.max ]] || group=/sys/fs/cgroup/pids
  { read -r max < "$group/pids.max" && read -r current < "$group/pids.current"; } 2> /dev/null
  [[ $max != max ]] && (( current + 8 > max ))
}

# Keeps the output small on disk while the command runs: the head is set aside once, and what is neither head nor tail is
# punched out of the file, whose length stays. Where a file system or fallocate cannot do that, the file is cut to nothing
# after its tail was saved, and what a fast writer adds in between is lost. The keeper's descriptor tells how far the output
# got, without a process.
rotate_output() { # ID HEAD TAIL KEEPER
  local job=$JOBS/$1 size=0 gone=0 limit=$(( $2 + 2 * $3 + 1048576 ))
  { read -r _ size < "/proc/$4/fdinfo/7"; } 2> /dev/null
  [[ ! -s $job.rotated ]] || read -r gone < "$job.rotated"
  [[ ! -e $job.tail ]] || gone=0
  (( size - gone > limit )) && ! crowded || return 0
  size=$(stat -c %s "$job.out" 2>/dev/null) || return 0
  (( size - gone > limit )) || return 0
  # Another server may be at the same: a head is there only when it is whole, and nothing goes before it is there. What was
  # copied of an output that the other has punched meanwhile is never linked.
  if [[ ! -e $job.head ]]; then
    head -c "$2" "$job.out" > "$job.head.$$" && ln "$job.head.$$" "$job.head"
    rm -f "$job.head.$$"
    [[ -e $job.head ]] || return 0
  fi 2> /dev/null
  if [[ ! -e $job.tail ]] && fallocate --punch-hole --offset 0 --length "$(( size - $3 ))" "$job.out" 2> /dev/null; then
    printf '%s\n' "$(( size - $3 ))" > "$job.rotated"
    return
  fi
  # Two that cut would each save a tail of what the other left.
  falls_to_us "$1" knife || return 0
  [[ ! -s $job.rotated ]] || read -r gone < "$job.rotated"
  tail -c "$3" "$job.out" > "$job.tail.new" && mv "$job.tail.new" "$job.tail"
  size=$(stat -c %s "$job.out")
  truncate -s 0 "$job.out"
  printf '%s\n' "$(( gone + size ))" > "$job.rotated"
}

# Waits until the job ends, its deadline passes, or its keeper is gone. Any number of servers may follow one job.
follow_job() { # ID TIMEOUT_MS HEAD TAIL
  local job=$JOBS/$1 start=0 keeper=0 deadline polls=0 pause=0.25 every=1
  read -r start _ < "$job.cmd"
  (( deadline = start + $2 * 1000 ))
  [[ -z ${FOLLOWING:-} ]] || { pause=0.02; every=12; }
  while [[ ! -s $job.code ]]; do
    read -r -t "$pause" -u 8 _ || :
    [[ -s $job.code ]] && break
    now_us
    if (( REPLY >= deadline )) && [[ ! -e $job.reason ]]; then
      printf 'timeout\n' > "$job.reason"
      kill_tree "$1"
    fi
    [[ ! -s $job.keeper ]] || read -r keeper _ < "$job.keeper"
    (( ++polls % every )) || rotate_output "$1" "$3" "$4" "$keeper"
    if (( keeper == 0 )); then
      # The server died between making the job and starting it: nothing ran, and nobody will say so later.
      (( polls < 100 )) || end_killed "$1"
    elif ! alive "$keeper" && [[ ! -s $job.code ]]; then
      kill_tree "$1"
      end_killed "$1"
    fi
  done
  adopt_env "$1"
}

end_killed() { # ID
  [[ -e $JOBS/$1.reason ]] || printf 'killed\n' > "$JOBS/$1.reason"
  now_us
  printf '137 %s\n' "$REPLY" > "$JOBS/$1.code"
}

answer_job() { # ID HEAD TAIL
  local job=$JOBS/$1 tree=- code=137 end=0 start=0 reason=exit elided body='' size from
  read -r code end < "$job.code"
  read -r start tree _ < "$job.cmd"
  [[ -e $job.out ]] || : > "$job.out"
  [[ ! -s $job.reason ]] || read -r reason < "$job.reason"
  # A small output without NUL bytes needs no process at all: `read` fails at the end of the file, having read it all. Another
  # server that settles a long one empties the file after it has answered, so whether one has is asked after reading.
  if ! IFS= read -r -d '' -n 65537 body < "$job.out" && [[ ! -e $job.rotated && ! -e $job.final ]] && (( ${#body} < 65537 && ${#body} <= $2 )); then
    printf 'done %s %s %s %s %s 0 %s %s\n%s' "$1" "$code" "$reason" "$start" "$end" "$tree" "${#body}" "$body"
    return
  fi
  [[ -e $job.final ]] || settle_output "$1" "$2" "$3"
  read -r elided size from < "$job.final"
  printf 'done %s %s %s %s %s %s %s %s\n' "$1" "$code" "$reason" "$start" "$end" "$elided" "$tree" "$size"
  head -c "$size" "$from"
}

# Settles what is shown of all that was written: head and tail, and how many bytes are missing between. Servers of dead workers
# may be at it as well: each makes files of its own, the first to link its answer has given it for all, and only then does
# anything go that another may still be reading.
settle_output() { # ID HEAD TAIL
  local job=$JOBS/$1 own=$JOBS/$1.final.$$ size gone=0 total shown from=$JOBS/$1.out whole=
  [[ ! -e $job.head ]] || whole=1
  size=$(stat -c %s "$job.out")
  # Punched bytes still count in the length; those that were cut do not.
  [[ ! -e $job.tail ]] || read -r gone < "$job.rotated"
  total=$(( gone + size )) shown=$size
  if [[ -e $job.rotated ]] || (( total > $2 + $3 )); then
    from=$job.shown.$$
    show_output "$@" > "$from" 2> /dev/null
    # What was read of the output before another server set its head aside may have been punched under the reading.
    [[ -n $whole || ! -e $job.head ]] || show_output "$@" > "$from" 2> /dev/null
    shown=$(stat -c %s "$from")
  fi
  printf '%s %s %s\n' "$(( total > shown ? total - shown : 0 ))" "$shown" "$from" > "$own"
  if ln "$own" "$job.final" 2> /dev/null; then
    [[ $from == "$job.out" ]] || { : > "$job.out"; rm -f "$job.head" "$job.tail"; }
  else
    rm -f "$job.shown.$$"
  fi
  rm -f "$own"
}

show_output() { # ID HEAD TAIL
  local job=$JOBS/$1
  if [[ -e $job.head ]]; then cat "$job.head"; else head -c "$2" "$job.out"; fi
  { [[ ! -e $job.tail ]] || cat "$job.tail"; tail -c "$3" "$job.out"; } | tail -c "$3"
}

serve_run() { # ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N
  local dir command FOLLOWING=
  read_bytes "$3" || return; dir=$REPLY
  read_bytes "$7" || return; command=$REPLY
  admit "$1" "$2"
  case $? in
    0)
      forget_old_jobs
      tree_before "$dir"; local tree=$REPLY
      now_us
      if lock "$1" "$REPLY $tree run" "$command"; then start_job "$1"; else FOLLOWING=1; fi
      ;;
    1) FOLLOWING=1 ;;
    2) return ;;
  esac
  if [[ -n $FOLLOWING ]] && interrupted "$1"; then printf 'diverged %s(interrupted) 0\n' "$1"; return; fi
  follow_job "$1" "$4" "$5" "$6"
  answer_job "$1" "$5" "$6"
  foresee_tree "$dir"
}

# --- files -------------------------------------------------------------------------------------------------------

# A write-ahead record: bytes and text are complete before the job exists, and the job exists before the file is touched,
# so that a kill anywhere is mended by applying the record again. Until then they bear the server's number: another that is
# sent the same request writes its own. Written through the path, so owner, mode and links stay.
serve_apply() { # ID AFTER DIR_N KIND TEXT_N PATH_N N
  local dir text path job=$JOBS/$1
  read_bytes "$3" || return; dir=$REPLY
  read_bytes "$5" || return; text=$REPLY
  read_bytes "$6" || return; path=$REPLY
  admit "$1" "$2"
  case $? in
    0)
      : > "$job.bytes.$$"
      (( $7 == 0 )) || head -c "$7" > "$job.bytes.$$"
      (( $7 == 0 )) || [[ $(stat -c %s "$job.bytes.$$") == "$7" ]] || { rm -f "$job.bytes.$$"; return; }
      printf '%s' "$text" > "$job.text.$$"
      tree_before "$dir"; local tree=$REPLY
      now_us
      lock "$1" "$REPLY $tree $4" "$path" || rm -f "$job.bytes.$$" "$job.text.$$"
      ;;
    1) (( $7 == 0 )) || head -c "$7" > /dev/null ;;
    2) (( $7 == 0 )) || head -c "$7" > /dev/null; return ;;
  esac
  apply_record "$1" || { printf 'diverged %s(interrupted) 0\n' "$1"; return; }
  answer_job "$1" 16777216 0
  foresee_tree "$dir"
}

# Does what the record says, unless it is done: from the record, not from the request, because a retry computed its request
# from a file that may be half written. One server at a time is at it: a late one would write over what came after, and put
# the job last once more. One that dies between the order and the code has put it there, and the next one leaves it so.
# Fails when nobody ends it.
apply_record() { # ID
  local path job=$JOBS/$1 kind by code=0 round
  for (( round = 0; round < 600; round++ )); do
    [[ ! -s $job.code ]] || return 0
    falls_to_us "$1" hand && break
    read -r -t 0.05 -u 8 _ || :
  done
  (( round < 600 )) && recorded "$1" || return 1
  [[ ! -s $job.code ]] || return 0 # its server died after that
  { read -r _ _ kind _ by _; IFS= read -r -d '' path; } < "$job.cmd"
  case $kind in
    write) cat "$job.bytes.$by" > "$path" || code=1 ;;
    delete) rm -f -- "$path" || code=1 ;;
  esac 2> /dev/null
  ln "$job.text.$by" "$job.out" 2> /dev/null
  if in_order "$1"; then refresh; else came_last "$1"; fi
  now_us
  printf '%s %s\n' "$code" "$REPLY" > "$job.code"
}

serve_look() { # LIMIT PATH_N
  local path parent=0 size body
  read_bytes "$2"; path=$REPLY
  [[ -d ${path%/*}/ || -z ${path%/*} ]] && parent=1
  if [[ -d $path ]]; then
    body=$(find "$path" -maxdepth 2 -not -path "${path%/}/.*" -not -path "${path%/}/*/.*" 2>/dev/null | sort)
    printf 'file directory %s %s\n%s' "$parent" "${#body}" "$body"
  elif [[ ! -f $path ]]; then
    printf 'file missing %s 0\n' "$parent"
  else
    size=$(stat -L -c %s "$path")
    if (( size > $1 )); then printf 'file large %s 0\n' "$parent"; return; fi
    # A file that grows or shrinks while it is read must not break the framing: copy first, then announce.
    head -c "$size" "$path" > "$ROOT/look" 2>/dev/null
    size=$(stat -c %s "$ROOT/look")
    printf 'file file %s %s\n' "$parent" "$size"
    cat "$ROOT/look"
  fi
}

# --- workspace ---------------------------------------------------------------------------------------------------

# Our own index and object folder beside the repository's: the agent's staging area and objects stay as they are. Each
# server has a copy of the index: one whose worker was killed may still look while the next one begins, and git refuses
# the second of two; and a container that was killed leaves git's lock behind.
INDEX=$ROOT/index.$$
GIT=(-c core.fsync=none -c core.autocrlf=false -c core.quotepath=off -c core.hooksPath=/dev/null -c safe.directory='*' -c core.excludesFile="$ROOT/exclude")

snapshot_tree() { # WORKDIR
  REPLY=-
  local top objects
  { read -r top; read -r objects; } < <(git -C "$1" "${GIT[@]}" rev-parse --show-toplevel --git-path objects 2>/dev/null) || return 0
  [[ $objects == /* ]] || objects=$1/$objects
  mkdir -p "$ROOT/objects"
  OWN=(env GIT_INDEX_FILE="$INDEX" GIT_OBJECT_DIRECTORY="$ROOT/objects" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects" git -C "$top" "${GIT[@]}")
  REPLY=$("${OWN[@]}" add -A > /dev/null 2>&1 && "${OWN[@]}" write-tree 2>/dev/null) || REPLY=-
  [[ -n $REPLY ]] || REPLY=-
}

# After an answer the worker asks the model, which takes longer than a tree: the next job finds it ready. A server that
# dies before has lost nothing: the tree is taken at the start of the next job, from the same files.
foresee_tree() { # DIR
  [[ -n $1 ]] || return 0
  snapshot_tree "$1"
  FORESEEN="$LAST $REPLY"
}

tree_before() { # DIR
  [[ -n $1 ]] || { REPLY=-; return; }
  if [[ ${FORESEEN:-} == "$LAST "* && $LAST != - ]]; then REPLY=${FORESEEN#* }; else snapshot_tree "$1"; fi
}

serve_digest() { # WORKDIR_N
  read_bytes "$1"
  snapshot_tree "$REPLY"
  [[ ! -e $INDEX ]] || cp -f "$INDEX" "$ROOT/index" # where the next server begins
  printf 'tree %s 0\n' "$REPLY"
}

serve_diff() { # BASE MOST_BYTES WORKDIR_N
  local workdir tree size=0
  read_bytes "$3"; workdir=$REPLY
  snapshot_tree "$workdir"; tree=$REPLY
  : > "$ROOT/patch"
  if [[ $tree != - ]]; then
    "${OWN[@]}" diff --no-ext-diff --no-textconv --no-color --no-renames \
      --binary --full-index --src-prefix=a/ --dst-prefix=b/ "$1" "$tree" -- 2>/dev/null | head -c "$(($2 + 1))" > "$ROOT/patch"
  fi
  size=$(stat -c %s "$ROOT/patch")
  if ((size > $2)); then
    : > "$ROOT/patch"
    printf 'patch %s large 0\n' "$tree"
    return
  fi
  printf 'patch %s %s\n' "$tree" "$size"
  cat "$ROOT/patch"
}

serve_state() {
  local body='' cwd=''
  refresh
  if [[ -n $ENV_FROM ]]; then { IFS= read -r -d $'\1' cwd; IFS= read -r -d '' body; } < "$ENV_FROM"; fi
  body="$cwd"$'\1'"$body"
  printf 'state %s\n%s' "${#body}" "$body"
}

serve() {
  rm -f "$INDEX.lock"
  [[ ! -s $ROOT/index ]] || cp -f "$ROOT/index" "$INDEX"
  trap : PIPE # not '': commands would inherit an ignored SIGPIPE
  remember
  printf 'ready %s 0\n' "$BASH_VERSION"
  local words
  while read -r -a words; do
    case ${words[0]:-} in
      run) serve_run "${words[@]:1}" ;;
      apply) serve_apply "${words[@]:1}" ;;
      look) serve_look "${words[@]:1}" ;;
      digest) serve_digest "${words[@]:1}" ;;
      diff) serve_diff "${words[@]:1}" ;;
      state) serve_state ;;
      position) refresh; printf 'position %s 0\n' "$LAST" ;;
      *) printf 'refused %s 0\n' "${words[0]:-}" ;;
    esac
  done
}

case ${1:-serve} in
  serve) serve ;;
  kill) # ID REASON: from a second process, while the server waits for the job
    [[ -e $JOBS/$2.cmd ]] || exit 0
    [[ -e $JOBS/$2.reason ]] || printf '%s\n' "${3:-cancelled}" > "$JOBS/$2.reason"
    kill_tree "$2" ;;
esac
