# Installs packages (`$3` and on) for the interpreter `$1` into the folder `$2`: by the environment's own pip, or by another one
# of the image that installs for it.
py=$1 folder=$2; shift 2
options=(-q --target "$folder" --no-deps --no-compile --no-cache-dir --disable-pip-version-check)
if "$py" -m pip --version > /dev/null 2>&1; then exec "$py" -m pip install "${options[@]}" "$@"; fi
if python3 -m pip --python "$py" --version > /dev/null 2>&1; then
  exec python3 -m pip --python "$py" install "${options[@]}" "$@"
fi
if command -v uv > /dev/null; then
  exec uv pip install -q --no-cache --python "$py" --target "$folder" --no-deps "$@"
fi
echo 'the image has neither pip nor uv' >&2
exit 3
