#!/bin/sh
# Makes the namespace when it is missing and sets how long it keeps histories. Safe to run at every start.
set -eu

# The port opens before the frontend knows its namespaces.
attempt=0
until temporal operator cluster health >/dev/null 2>&1; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 60 ] || { echo 'the Temporal server is not healthy after two minutes' >&2; exit 1; }
  sleep 2
done

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
else
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
fi
