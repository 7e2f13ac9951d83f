#!/usr/bin/env bash
# One run of ctxlint in a workflow. Reads the inputs of action.yml from CTXLINT_*, writes the action's
# outputs, and ends with the status of ctxlint, so that findings fail the job.
set -euo pipefail

fail() {
    printf '::error title=ctxlint::%s\n' "$*"
    exit 2
}

arguments=()
option() {
    if [[ -n "$2" ]]; then arguments+=("$1=$2"); fi
}

case "$CTXLINT_COMMAND" in
    check | audit) arguments+=("$CTXLINT_COMMAND") ;;
    *) fail "The input 'command' is 'check' or 'audit'." ;;
esac
option --config "$CTXLINT_CONFIG"
option --min-severity "$CTXLINT_MIN_SEVERITY"
option --fail-on "$CTXLINT_FAIL_ON"
option --baseline "$CTXLINT_BASELINE"
option --changed "$CTXLINT_CHANGED"

sarif=
case "$CTXLINT_FORMAT" in
    github) arguments+=(--format=github) ;;
    sarif)
        sarif="$RUNNER_TEMP/ctxlint-$CTXLINT_COMMAND.sarif"
        rm -f "$sarif"
        arguments+=(--format=human "--format=sarif=$sarif")
        ;;
    *) fail "The input 'format' is 'github' or 'sarif'." ;;
esac
[[ "$CTXLINT_UPLOAD" != true || -n "$sarif" ]] || fail "The input 'upload-sarif' needs 'format: sarif'."

arguments+=(--)
while IFS= read -r path; do
    if [[ -n "$path" ]]; then arguments+=("$path"); fi
done <<<"$CTXLINT_PATHS"

status=0
ctxlint "${arguments[@]}" || status=$?
echo "status=$status" >>"$GITHUB_OUTPUT"
if [[ -n "$sarif" && -s "$sarif" ]]; then echo "sarif-file=$sarif" >>"$GITHUB_OUTPUT"; fi
exit "$status"
