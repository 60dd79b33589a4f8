#!/bin/bash
# The exec journal: runs commands exactly once, inside of the container, on behalf of a worker that may die at any moment.
#
# One server answers one worker over stdin/stdout; requests are served in order. A job is a few files under $ROOT/jobs:
#   ID.cmd   first line: start time, tree that it met, kind, boot, server that made it, length, tag; then the command. Creating
#            it is the lock: a request that is sent again finds the job and follows it instead of running it again.
#   ID.out   what it wrote    ID.keeper  who waits for it    ID.code  exit code, reason, end, tag: written last
#   ID.reason why it is being ended, and the word that only who asked for it knows
#   ID.final how a long output is answered: bytes left out, bytes shown, and the file that holds them
#   ID.env   directory, variables and functions after it, for the next command to begin with
#   ID.hand.N, ID.knife.N   which server applies an edit, which cuts an output: see `falls_to_us`
# Everything lives in the container's own layer: a snapshot that holds a command's effect also holds its record. Files are
# made once and never rewritten, because rewriting costs a file system more than all else here together.
#
# Requests (a line of words, then the announced bytes):      Answers (TOKEN, a line of words, then the announced bytes):
#   run ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N KEYS   dir command     done ID CODE REASON START_US END_US ELIDED TREE BYTES
#   apply ID AFTER DIR_N KIND TEXT_N PATH_N N KEYS   dir text path bytes   done ...   (KIND: write, delete, none)
#   look LIMIT PATH_N                       path              file KIND PARENT BYTES  (KIND: missing, directory, file, large)
#   digest WORKDIR_N                        path              tree HASH|- 0
#   diff BASE MOST WORKDIR_N                path              patch HASH|- BYTES, or patch HASH|- large|failed 0
#   state                                                     state BYTES
#   position                                                  position ID 0
# DIR is the work directory whose tree id the job met (DIR_N 0: none); it is taken in the idle time after the job before.
# AFTER is the job that the worker believes came last ("*": any). When it did not, the answer is `diverged LAST 0`: the
# container is not the one that the worker's transcript describes, and must be rebuilt.
#
# Commands are root as well, and write where they like. So the first line of a stream is its TOKEN, with which every answer
# begins; and records and exit codes bear a tag that is made with the KEYS of their job (see `seal`). What bears none was
# forged: the answer is `tampered WHY 0`. Token and keys are in the memory of servers and keepers alone, which the kernel keeps
# from commands because they lack a capability that those have (see `PLAIN`). Whatever is read from a file may have been
# written by a command: no number out of one gets into arithmetic before `is_number`, which would run what stands there.
#
# Needs bash >= 5, coreutils and /proc, util-linux for the wall; git for digests and diffs.
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
TIMED_OUT= # the job whose deadline passed here
ENV_FROM= # the newest whole ID.env
MODE=$1
SHELL_PROGRAM=$2 # the text of shell.sh: a file could be another one by the time that a command is run
TOKEN=
KEYS=()

# Begins every program that is none of ours, or that does what files of the sandbox say (git): it has no SETPCAP then, and the
# kernel shows it nothing of a process that has one. A sandbox without setpriv goes on without that wall.
PLAIN=(setpriv --bounding-set -setpcap --inh-caps -setpcap)
# Not with our stream: what it has, whoever was left behind in the sandbox has as well.
"${PLAIN[@]}" true < /dev/null &> /dev/null || PLAIN=()

# Requests and answers are no standard streams: what a program finds there it could read and write.
if [[ $MODE == serve ]]; then
  exec 3<&0 4>&1 < /dev/null > /dev/null
  IFS= read -r TOKEN <&3 || exit
fi

tool() { # a program that works for the server
  "${PLAIN[@]}" "$@" 3<&- 4>&- 8>&-
}

answer() { # FORMAT WORD...: a whole answer; the token after it shows that nothing was put between
  local format=$1
  shift
  printf "%s $format%s\n" "$TOKEN" "$@" "$TOKEN" >&4
}

answer_file() { # FILE BYTES FORMAT WORD...
  local format=$3
  printf "%s $format" "$TOKEN" "${@:4}" >&4
  tool head -c "$2" "$1" >&4
  printf '%s\n' "$TOKEN" >&4
}

size_of() { # FILE: REPLY; who says so may have been replaced
  REPLY=$(tool stat -L -c %s "$1" 2> /dev/null)
  is_number "$REPLY"
}

tool mkdir -p "$JOBS" "$STATE"
# When this container was last started: PID 1's start time.
{ read -r BOOT < /proc/1/stat; } 2> /dev/null
BOOT=(${BOOT##*) })
BOOT=${BOOT[19]}
# Pid and start time together name this server for good, while pids are given again.
{ read -r BORN < "/proc/$$/stat"; } 2> /dev/null
BORN=(${BORN##*) })
BORN=${BORN[19]}
WAKE=$ROOT/wake.$$
tool rm -f "$WAKE"
tool mkfifo "$WAKE" && exec 8<>"$WAKE" && tool rm -f "$WAKE"
[[ -s $STATE/base ]] || compgen -e > "$STATE/base"
# What tests and editors leave behind is no change of the workspace, and its bytes differ from run to run.
[[ -s $ROOT/exclude ]] || printf '%s\n' __pycache__/ '*.pyc' .pytest_cache/ .mypy_cache/ .ruff_cache/ .hypothesis/ > "$ROOT/exclude"

# Since the machine started: that clock is not set.
now_us() { local t; IFS=' ' read -r t _ < /proc/uptime; REPLY=${t/./}0000; }

is_number() { # TEXT: whether arithmetic may see it
  [[ $1 == 0 || ( $1 == [1-9]* && $1 != *[!0-9]* && ${#1} -le 18 ) ]]
}

# A one-time tag of a line, as a polynomial over its pieces (Wegman and Carter 1981): the first key is the point, the pad is
# used for one line only. Who sees a line with its tag can make that of no other: a guess is right once in 2^27.
seal() { # LINE PAD: REPLY; fails for a line that we would not have written
  [[ -n $1 && ${#1} -le 400 && $1 != *[!0-9a-zA-Z\ -]* ]] || return 1
  local text=${1// /_} hash=${#1} piece
  text=${text//-/@}
  while [[ -n $text ]]; do
    piece=${text:0:5} text=${text:5}
    (( hash = (hash * KEYS[0] + 64#$piece) % 2147483647 ))
  done
  (( REPLY = (hash * KEYS[0] + $2) % 2147483647 ))
}

sealed() { # LINE PAD: whether its last word is the tag of the rest; REPLY: the rest
  local line=${1% *} tag=${1##* }
  seal "$line" "$2" && [[ $REPLY == "$tag" ]] || return 1
  REPLY=$line
}

# The keys of the job that is asked for: the point, the pads of record and code, the words for a timeout and a cancellation.
take_keys() { # POINT PAD PAD WORD WORD
  (( $# == 5 )) && is_number "$1" && is_number "$2" && is_number "$3" && KEYS=("$@")
}

tampered() { answer 'tampered %s 0\n' "$1"; } # WHY, in one word

# Files of a job that is only now made can only be forged; and what is no plain file would hold up who opens it.
untouched() { # ID
  local end
  for end in code keeper out reason final env rotated head tail hand.0 knife.0; do
    [[ ! -e $JOBS/$1.$end && ! -L $JOBS/$1.$end ]] || return 1
  done
  in_place
}

in_place() {
  [[ -d $JOBS && ! -L $JOBS && ! -L $ROOT && -d $STATE && ! -L $STATE ]] || return 1
  [[ ! -L $STATE/order && ( ! -e $STATE/order || -f $STATE/order ) ]]
}

# Fails when the request ends before: its worker was killed while it wrote, and half a command must not run.
read_bytes() { # N: the next N bytes of the request; commands, paths and texts hold no NUL
  REPLY=
  (( $1 == 0 )) || IFS= read -r -N "$1" REPLY <&3
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
  [[ -f $JOBS/$1.env ]] || return 1
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
  answer 'diverged %s 0\n' "$LAST"
  return 2
}

# Whether the container was stopped while the job ran: half of its effect may be there, so nobody can go on from here.
interrupted() { # ID, after `recorded`
  [[ ! -s $JOBS/$1.code && ${RECORD[3]} != "$BOOT" ]]
}

# Waits until the record of job $1 is whole: it is there a moment before its words are. Fails with 1 when they do not come,
# because who wrote them was killed, and with 2 when it is not ours.
recorded() { # ID: RECORD are its words
  local line body round
  for (( round = 0; round < 100; round++ )); do
    [[ -f $JOBS/$1.cmd && ! -L $JOBS/$1.cmd ]] || return 2
    line= body=
    { read -r line && IFS= read -r -d '' body; } < "$JOBS/$1.cmd"
    RECORD=($line)
    if (( ${#RECORD[@]} == 7 )) && [[ ${RECORD[5]} == "${#body}" ]]; then
      sealed "$line" "${KEYS[1]}" && return 0 || return 2
    fi
    read -r -t 0.02 -u 8 _ || :
  done
  # A writer that was killed leaves a beginning of what it wrote: less than the length, or less than the first line.
  (( ${#RECORD[@]} < 7 )) || sealed "$line" "${KEYS[1]}" || return 2
  return 1
}

lock() { # ID FIRST_WORDS COMMAND: fails when another server was quicker; a redirection costs no process
  local made words="$2 $BOOT $$ ${#3}"
  seal "$words" "${KEYS[1]}" || return
  RECORD=($words "$REPLY")
  set -o noclobber
  { printf '%s\n%s' "${RECORD[*]}" "$3" > "$JOBS/$1.cmd"; } 2> /dev/null
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
    { read -r pid born < "$claim.$n"; } 2> /dev/null && is_number "$pid" || return 1
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
    [[ $ENV_FROM == "$JOBS/$id.env" ]] || (cd "$JOBS" && tool rm -f -- "$id".*)
  done
  id=${ENV_FROM##*/}
  printf '%s\n' ${id:+"${id%.env}"} "${order[@]: -KEEP}" > "$STATE/order.new" && tool mv "$STATE/order.new" "$STATE/order"
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
  [[ ! -f $JOBS/$1.keeper ]] || read -r _ born < "$JOBS/$1.keeper"
  is_number "$born" || born=0
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
    POINTSMAN_JOB=$1 POINTSMAN_SHELL=$SHELL_PROGRAM "${PLAIN[@]}" bash --noprofile --norc -c 'eval "$POINTSMAN_SHELL"; eval "$__pointsman_command"' bash "$job" "$STATE/base" "$ENV_FROM" < /dev/null >&6 2>&1 6>&- 7>&- 8>&-
    local code=$?
    exec 6>&-
    drained "$reader"
    say_out_of_memory "$kills" >&7
    if kept_all "$reader" && write_code "$1" "$code"; then printf 'x\n' >&8; else say_full "$1" "$code"; fi
  ) > /dev/null 2>&1 7>> "$job.out" 3<&- 4>&- &
  disown 2> /dev/null || : # or bash says on stderr that it is done, with all of this text
}

# Whether what was written could be kept: cat fails where the disk has no room.
kept_all() { # READER, after `drained`
  alive "$1" && return 0
  wait "$1"
  (( $? != 1 ))
}

# Whether something lies where the code of a job would be written.
hindered() { # ID
  ! in_place || [[ -L $JOBS/$1.code || ( -e $JOBS/$1.code && ! -f $JOBS/$1.code ) ]]
}

# Of a job whose output or code met a full disk nobody can say how it ended. Its server hears it at once; others find it as soon
# as there is room to write it down. What a command has put in the way of its code is another matter, see `follow_job`.
say_full() { # ID CODE
  local round
  hindered "$1" && return
  printf 'full\n' >&8
  for (( round = 0; round < 3600; round++ )); do
    write_code "$1" "$2" full && return
    tool sleep 1
  done
}

# A command may write what it likes into the files of its job, its code as well: ours comes last, and goes over that.
write_code() { # ID CODE [REASON]
  local reason=${3:-exit} said=
  [[ ! -f $JOBS/$1.reason ]] || read -r said < "$JOBS/$1.reason"
  case $said in
    "timeout ${KEYS[3]}" | "cancelled ${KEYS[4]}") reason=${said% *} ;;
  esac
  now_us
  local line="$2 $reason $REPLY"
  seal "$line" "${KEYS[2]}" && printf '%s %s\n' "$line" "$REPLY" > "$JOBS/$1.code"
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
  left_out "$1"; gone=$REPLY
  is_number "$size" || return 0
  [[ ! -e $job.tail ]] || gone=0
  (( size - gone > limit )) && ! crowded || return 0
  size_of "$job.out" || return 0
  size=$REPLY
  (( size - gone > limit )) || return 0
  # Another server may be at the same: a head is there only when it is whole, and nothing goes before it is there. What was
  # copied of an output that the other has punched meanwhile is never linked.
  if [[ ! -e $job.head ]]; then
    tool head -c "$2" "$job.out" > "$job.head.$$" && tool ln "$job.head.$$" "$job.head"
    tool rm -f "$job.head.$$"
    [[ -e $job.head ]] || return 0
  fi 2> /dev/null
  if [[ ! -e $job.tail ]] && tool fallocate --punch-hole --offset 0 --length "$(( size - $3 ))" "$job.out" 2> /dev/null; then
    printf '%s\n' "$(( size - $3 ))" > "$job.rotated"
    return
  fi
  # Two that cut would each save a tail of what the other left.
  falls_to_us "$1" knife || return 0
  cut_before "$1"; gone=$REPLY
  # Between tail and cut there is nothing that takes time: what is written then is lost. What was written while the tail was
  # saved is saved with it, unless the writer does not pause; and when the keeper is gone, all is written and stays.
  local before
  for _ in 1 2 3 4 5; do
    { read -r _ before < "/proc/$4/fdinfo/7"; } 2> /dev/null || return 0
    tool tail -c "$3" "$job.out" > "$job.tail.new" && tool mv "$job.tail.new" "$job.tail"
    { read -r _ size < "/proc/$4/fdinfo/7"; } 2> /dev/null || return 0
    [[ $size != "$before" ]] || break
  done
  [[ -f $job.out ]] && : > "$job.out"
  is_number "$size" || size=0
  printf '%s\n' "$(( gone + size ))" > "$job.rotated"
}

left_out() { # ID: REPLY: bytes of its output that were punched, or else cut
  local gone=0
  [[ ! -f $JOBS/$1.rotated ]] || read -r gone < "$JOBS/$1.rotated"
  is_number "$gone" || gone=0
  REPLY=$gone
}

cut_before() { # ID: REPLY: bytes of its output that were cut; those that were punched still count in its length
  REPLY=0
  [[ ! -e $JOBS/$1.tail ]] || left_out "$1"
}

# Waits until the job ends, its deadline passes, or its keeper is gone. Any number of servers may follow one job. Fails when
# the keeper lives and no code comes, though nothing runs any more: something was put in its way. With 3 when the disk is full.
follow_job() { # ID TIMEOUT_MS HEAD TAIL
  local job=$JOBS/$1 keeper=0 deadline polls=0 pause=0.25 every=1 said
  (( deadline = RECORD[0] + $2 * 1000 ))
  [[ -z ${FOLLOWING:-} ]] || { pause=0.02; every=12; }
  while [[ ! -s $job.code ]]; do
    said=
    read -r -t "$pause" -u 8 said || :
    [[ $said != full ]] || return 3
    [[ -s $job.code ]] && break
    now_us
    if (( REPLY >= deadline )) && [[ $TIMED_OUT != "$1" ]]; then
      TIMED_OUT=$1
      [[ -e $job.reason && ! -f $job.reason ]] || printf 'timeout %s\n' "${KEYS[3]}" > "$job.reason"
      kill_tree "$1"
      now_us
      (( deadline = REPLY + 60000000 ))
    elif (( REPLY >= deadline )); then
      return 1
    fi
    keeper=0
    [[ ! -f $job.keeper ]] || read -r keeper _ < "$job.keeper"
    is_number "$keeper" || keeper=0
    (( ++polls % every )) || rotate_output "$1" "$3" "$4" "$keeper"
    if (( keeper == 0 )); then
      # The server died between making the job and starting it: nothing ran, and nobody will say so later.
      (( polls < 100 )) || end_killed "$1" || hindered "$1" || return 3
    elif ! alive "$keeper" && [[ ! -s $job.code ]]; then
      kill_tree "$1"
      end_killed "$1" || hindered "$1" || return 3
    fi
  done
  adopt_env "$1" || :
}

end_killed() { write_code "$1" 137 killed; } # ID

# A code that bears no tag may be one that the keeper is about to write over.
ended() { # ID: END are the words of its code; fails for one that is not ours
  local line round
  for (( round = 0; round < 50; round++ )); do
    line=
    [[ -f $JOBS/$1.code && ! -L $JOBS/$1.code ]] && read -r line < "$JOBS/$1.code"
    sealed "$line" "${KEYS[2]}" && { END=($REPLY); return 0; }
    read -r -t 0.02 -u 8 _ || :
  done
  return 1
}

answer_job() { # ID HEAD TAIL
  local job=$JOBS/$1 tree=${RECORD[1]} start=${RECORD[0]} code reason end elided body='' size from
  ended "$1" || { tampered forged-code; return; }
  code=${END[0]} reason=${END[1]} end=${END[2]}
  [[ $reason != full ]] || { answer 'diverged %s(full) 0\n' "$1"; return; }
  # A command that has half a second left may spend it on the reason.
  [[ $reason != exit || $TIMED_OUT != "$1" ]] || reason=timeout
  [[ -e $job.out ]] || : > "$job.out"
  [[ -f $job.out && ! -L $job.out ]] || { tampered output-replaced; return; }
  # A small output without NUL bytes needs no process at all: `read` fails at the end of the file, having read it all. Another
  # server that settles a long one empties the file after it has answered, so whether one has is asked after reading.
  if ! IFS= read -r -d '' -n 65537 body < "$job.out" && [[ ! -e $job.rotated && ! -e $job.final ]] && (( ${#body} < 65537 && ${#body} <= $2 )); then
    answer 'done %s %s %s %s %s 0 %s %s\n%s' "$1" "$code" "$reason" "$start" "$end" "$tree" "${#body}" "$body"
    return
  fi
  [[ -e $job.final ]] || settle_output "$1" "$2" "$3"
  { read -r elided size from < "$job.final"; } 2> /dev/null
  # The worker reads as many bytes as are announced: not more than it asked for, and no fewer than there are.
  is_number "${elided:-}" && is_number "${size:-}" && (( size <= $2 + $3 )) && [[ $from == "$job."* && -f $from ]] &&
    size_of "$from" && (( REPLY >= size )) || { tampered output-replaced; return; }
  answer_file "$from" "$size" 'done %s %s %s %s %s %s %s %s\n' "$1" "$code" "$reason" "$start" "$end" "$elided" "$tree" "$size"
}

# Settles what is shown of all that was written: head and tail, and how many bytes are missing between. Servers of dead workers
# may be at it as well: each makes files of its own, the first to link its answer has given it for all, and only then does
# anything go that another may still be reading.
settle_output() { # ID HEAD TAIL
  local job=$JOBS/$1 own=$JOBS/$1.final.$$ size total shown from=$JOBS/$1.out whole=
  [[ ! -e $job.head ]] || whole=1
  size=0
  ! size_of "$job.out" || size=$REPLY
  cut_before "$1"
  total=$(( REPLY + size )) shown=$size
  if [[ -e $job.rotated ]] || (( total > $2 + $3 )); then
    from=$job.shown.$$
    show_output "$@" > "$from" 2> /dev/null
    # What was read of the output before another server set its head aside may have been punched under the reading.
    [[ -n $whole || ! -e $job.head ]] || show_output "$@" > "$from" 2> /dev/null
    shown=0
    ! size_of "$from" || shown=$REPLY
  fi
  printf '%s %s %s\n' "$(( total > shown ? total - shown : 0 ))" "$shown" "$from" > "$own"
  if tool ln "$own" "$job.final" 2> /dev/null; then
    [[ $from == "$job.out" ]] || { : > "$job.out"; tool rm -f "$job.head" "$job.tail"; }
  else
    tool rm -f "$job.shown.$$"
  fi
  tool rm -f "$own"
}

show_output() { # ID HEAD TAIL
  local job=$JOBS/$1
  if [[ -e $job.head ]]; then tool cat "$job.head"; else tool head -c "$2" "$job.out"; fi
  { [[ ! -e $job.tail ]] || tool cat "$job.tail"; tool tail -c "$3" "$job.out"; } | tool tail -c "$3"
}

serve_run() { # ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N KEYS
  local dir command FOLLOWING=
  read_bytes "$3" || return; dir=$REPLY
  read_bytes "$7" || return; command=$REPLY
  take_keys "${@:8}" || return
  admit "$1" "$2"
  case $? in
    0)
      untouched "$1" || { tampered forged-job; return; }
      forget_old_jobs
      tree_before "$dir"; local tree=$REPLY
      now_us
      if lock "$1" "$REPLY $tree run" "$command"; then start_job "$1"; else FOLLOWING=1; fi
      ;;
    1) FOLLOWING=1 ;;
    2) return ;;
  esac
  if [[ -n $FOLLOWING ]]; then
    recorded "$1"
    case $? in
      1) answer 'diverged %s(interrupted) 0\n' "$1"; return ;;
      2) tampered forged-record; return ;;
    esac
    if interrupted "$1"; then answer 'diverged %s(interrupted) 0\n' "$1"; return; fi
  fi
  follow_job "$1" "$4" "$5" "$6"
  case $? in
    1) tampered code-hindered; return ;;
    3) answer 'diverged %s(full) 0\n' "$1"; return ;;
  esac
  answer_job "$1" "$5" "$6"
  foresee_tree "$dir"
}

# --- files -------------------------------------------------------------------------------------------------------

# A write-ahead record: bytes and text are complete before the job exists, and the job exists before the file is touched,
# so that a kill anywhere is mended by applying the record again. Until then they bear the server's number: another that is
# sent the same request writes its own. Written through the path, so owner, mode and links stay.
serve_apply() { # ID AFTER DIR_N KIND TEXT_N PATH_N N KEYS
  local dir text path job=$JOBS/$1
  read_bytes "$3" || return; dir=$REPLY
  read_bytes "$5" || return; text=$REPLY
  read_bytes "$6" || return; path=$REPLY
  take_keys "${@:8}" || return
  admit "$1" "$2"
  case $? in
    0)
      untouched "$1" || { skip_bytes "$7"; tampered forged-job; return; }
      : > "$job.bytes.$$"
      (( $7 == 0 )) || tool head -c "$7" <&3 > "$job.bytes.$$"
      (( $7 == 0 )) || { size_of "$job.bytes.$$" && (( REPLY == $7 )); } || { tool rm -f "$job.bytes.$$"; return; }
      printf '%s' "$text" > "$job.text.$$"
      tree_before "$dir"; local tree=$REPLY
      now_us
      lock "$1" "$REPLY $tree $4" "$path" || tool rm -f "$job.bytes.$$" "$job.text.$$"
      ;;
    1) skip_bytes "$7" ;;
    2) skip_bytes "$7"; return ;;
  esac
  apply_record "$1"
  case $? in
    0) answer_job "$1" 16777216 0 ;;
    1) answer 'diverged %s(interrupted) 0\n' "$1" ;;
    2) tampered forged-record ;;
  esac
  foresee_tree "$dir"
}

skip_bytes() { # N
  (( $1 == 0 )) || tool head -c "$1" <&3 > /dev/null
}

# Does what the record says, unless it is done: from the record, not from the request, because a retry computed its request
# from a file that may be half written. One server at a time is at it: a late one would write over what came after, and put
# the job last once more. One that dies between the order and the code has put it there, and the next one leaves it so.
# Fails with 1 when nobody ends it, with 2 when the record is not ours.
apply_record() { # ID
  local path job=$JOBS/$1 kind by code=0 round
  recorded "$1" || return
  for (( round = 0; round < 600; round++ )); do
    [[ ! -s $job.code ]] || return 0
    falls_to_us "$1" hand && break
    read -r -t 0.05 -u 8 _ || :
  done
  (( round < 600 )) || return 1
  [[ ! -s $job.code ]] || return 0 # its server died after that
  kind=${RECORD[2]} by=${RECORD[4]}
  { read -r _; IFS= read -r -d '' path; } < "$job.cmd"
  case $kind in
    write) tool cat "$job.bytes.$by" > "$path" || code=1 ;;
    delete) tool rm -f -- "$path" || code=1 ;;
  esac 2> /dev/null
  tool ln "$job.text.$by" "$job.out" 2> /dev/null
  if in_order "$1"; then refresh; else came_last "$1"; fi
  write_code "$1" "$code"
}

serve_look() { # LIMIT PATH_N
  local path parent=0 size body
  read_bytes "$2"; path=$REPLY
  [[ -d ${path%/*}/ || -z ${path%/*} ]] && parent=1
  if [[ -d $path ]]; then
    body=$(tool find "$path" -maxdepth 2 -not -path "${path%/}/.*" -not -path "${path%/}/*/.*" 2>/dev/null | tool sort)
    answer 'file directory %s %s\n%s' "$parent" "${#body}" "$body"
  elif [[ ! -f $path ]]; then
    answer 'file missing %s 0\n' "$parent"
  else
    size=0
    ! size_of "$path" || size=$REPLY
    if (( size > $1 )); then answer 'file large %s 0\n' "$parent"; return; fi
    # A file that grows or shrinks while it is read must not break the framing: copy first, then announce.
    tool head -c "$size" "$path" > "$ROOT/look" 2>/dev/null
    size=0
    ! size_of "$ROOT/look" || size=$REPLY
    answer_file "$ROOT/look" "$size" 'file file %s %s\n' "$parent" "$size"
  fi
}

# --- workspace ---------------------------------------------------------------------------------------------------

# Our own index and object folder beside the repository's: the agent's staging area and objects stay as they are. Each
# server has a copy of the index: one whose worker was killed may still look while the next one begins, and git refuses
# the second of two; and a container that was killed leaves git's lock behind.
INDEX=$ROOT/index.$$
LOOSE=()
GIT=(-c core.fsync=none -c core.autocrlf=false -c core.quotepath=off -c core.hooksPath=/dev/null -c core.fsmonitor=false -c safe.directory='*' -c core.excludesFile="$ROOT/exclude")
TREE=              # of the index that has this second name: git writes another file where anything changed
KNOWN=$ROOT/known.$$

# As a rule the work directory is where its repository begins, and asking git costs what all the rest does.
snapshot_tree() { # WORKDIR
  [[ -d $ROOT/objects ]] || tool mkdir -p "$ROOT/objects"
  TOP=$1 OBJECTS=$1/.git/objects
  [[ -d $OBJECTS ]] && tree_at_top && return
  REPLY=-
  { read -r TOP; read -r OBJECTS; } < <(tool git -C "$1" "${GIT[@]}" rev-parse --show-toplevel --git-path objects 2>/dev/null) || return 0
  [[ $OBJECTS == /* ]] || OBJECTS=$1/$OBJECTS
  tree_at_top || REPLY=-
}

tree_at_top() {
  add_all
  (($? <= 1)) || return 1
  if [[ -z $TREE || ! $INDEX -ef $KNOWN ]]; then
    TREE=$(own_git write-tree 2> /dev/null) || TREE=
    [[ ${#TREE} -le 64 && $TREE != *[!0-9a-f]* ]] || TREE=
    tool ln -f "$INDEX" "$KNOWN" 2> /dev/null
  fi
  REPLY=$TREE
  [[ -n $REPLY ]]
}

# What cannot be added, a repository without a commit among it, is left out of the tree (1), and takes nothing else with it. A
# filter that has to succeed and fails, as that of git-lfs does where it is not installed, keeps git from all: then none has to.
add_all() {
  own_git add -A --ignore-errors > /dev/null 2>&1
  local code=$? name
  ((code > 1)) || return "$code"
  LOOSE=()
  while read -r name; do LOOSE+=(-c "$name=false"); done < <(own_git config --name-only --get-regexp '^filter\..*\.required$' 2> /dev/null)
  own_git add -A --ignore-errors > /dev/null 2>&1
}

own_git() {
  GIT_INDEX_FILE=$INDEX GIT_OBJECT_DIRECTORY=$ROOT/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=$OBJECTS tool git -C "$TOP" "${GIT[@]}" "${LOOSE[@]}" "$@"
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
  [[ ! -e $INDEX ]] || tool cp -f "$INDEX" "$ROOT/index" # where the next server begins
  answer 'tree %s 0\n' "$REPLY"
}

serve_diff() { # BASE MOST_BYTES WORKDIR_N
  local workdir tree size=0 ended=1
  read_bytes "$3"; workdir=$REPLY
  snapshot_tree "$workdir"; tree=$REPLY
  : > "$ROOT/patch"
  if [[ $tree != - ]]; then
    own_git diff --no-ext-diff --no-textconv --no-color --no-renames \
      --binary --full-index --src-prefix=a/ --dst-prefix=b/ "$1" "$tree" -- 2>/dev/null | tool head -c "$(($2 + 1))" > "$ROOT/patch"
    ended=${PIPESTATUS[0]}
  fi
  ! size_of "$ROOT/patch" || size=$REPLY
  if ((size > $2)); then
    : > "$ROOT/patch"
    answer 'patch %s large 0\n' "$tree"
    return
  fi
  # Killed for want of memory, or a repository that is broken or gone: no patch is something else than an empty one.
  if ((ended != 0)); then
    : > "$ROOT/patch"
    answer 'patch %s failed 0\n' "$tree"
    return
  fi
  answer_file "$ROOT/patch" "$size" 'patch %s %s\n' "$tree" "$size"
}

serve_state() {
  local body='' cwd=''
  refresh
  if [[ -n $ENV_FROM ]]; then { IFS= read -r -d $'\1' cwd; IFS= read -r -d '' body; } < "$ENV_FROM"; fi
  body="$cwd"$'\1'"$body"
  answer 'state %s\n%s' "${#body}" "$body"
}

serve() {
  tool rm -f "$INDEX.lock"
  [[ ! -s $ROOT/index ]] || tool cp -f "$ROOT/index" "$INDEX"
  trap : PIPE # not '': commands would inherit an ignored SIGPIPE
  remember
  answer 'ready %s %s 0\n' "$BASH_VERSION" "${PLAIN:+walled}"
  local words
  while read -r -a words <&3; do
    in_place || { tampered journal-replaced; continue; }
    case ${words[0]:-} in
      run) serve_run "${words[@]:1}" ;;
      apply) serve_apply "${words[@]:1}" ;;
      look) serve_look "${words[@]:1}" ;;
      digest) serve_digest "${words[@]:1}" ;;
      diff) serve_diff "${words[@]:1}" ;;
      state) serve_state ;;
      position) refresh; answer 'position %s 0\n' "$LAST" ;;
      *) answer 'refused %s 0\n' "${words[0]:-}" ;;
    esac
  done
}

case $MODE in
  serve) serve ;;
  kill) # ID REASON WORD: from a second process, while the server waits for the job
    [[ -e $JOBS/$3.cmd ]] || exit 0
    [[ -e $JOBS/$3.reason && ! -f $JOBS/$3.reason ]] || printf '%s %s\n' "$4" "$5" > "$JOBS/$3.reason"
    kill_tree "$3" ;;
esac
