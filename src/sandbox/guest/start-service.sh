# `$1` starts it, `$2` says whether it is ready, `$3` is how long that may take. What it prints is shown only if it fails.
log=/run/pointsman-service.log
setsid bash -c "$1" > "$log" 2>&1 < /dev/null &
pid=$! gone=
# Since the machine started: that clock is not set.
uptime() { read -r up _ < /proc/uptime; up=${up%.*}; }
uptime; began=$up
failed() { printf '%s\n' "$1"; tail -c 1500 "$log"; exit 1; }
for (( ;; )); do
  if [[ -z $gone ]] && ! kill -0 "$pid" 2> /dev/null; then
    wait "$pid" || failed "its start command ended with $?"
    gone=1
  fi
  if bash -c "$2" > /dev/null 2>&1; then exit 0; fi
  uptime; (( up - began < $3 )) || failed "it was not ready after $3 s"
  sleep 0.1
done
