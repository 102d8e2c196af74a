#!/usr/bin/env bash
# A webhook receiver as a CGI program, with openssl: any web server that runs CGI can use it.
set -euo pipefail

raw_body=$(mktemp)
trap 'rm -f "$raw_body"' EXIT
# Into a file and not into a variable: the signature covers the bytes as they were sent.
head -c "${CONTENT_LENGTH:-0}" >"$raw_body"

answer() {
  printf 'Status: %s\r\nContent-Length: 0\r\n\r\n' "$1"
  exit 0
}

# Digests of both, so that the comparison's time says nothing about the signature.
digest() { printf '%s' "$1" | openssl dgst -sha256 -r; }

# One secret, or two with a comma between them while the secret is being rotated.
read -ra secrets <<<"${WEBHOOK_SECRETS//,/ }"
# Anybody can sign with a secret that is empty.
((${#secrets[@]} > 0)) || answer "500 Internal Server Error"
for secret in "${secrets[@]}"; do
  expected=$(openssl dgst -sha256 -hmac "$secret" -binary "$raw_body" | openssl base64 -A)
  if [[ "$(digest "$expected")" == "$(digest "${HTTP_X_SERVICE_SIGNATURE:-}")" ]]; then
    id=${HTTP_WEBHOOK_ID:-}
    kind=event
    # A test from the dashboard: nothing has happened, and its body is a sample.
    if [[ "$id" == test_* ]]; then kind=test; fi
    # A repeat has the same webhook-id: remember the ones you have handled.
    echo "$kind $id" >&2
    answer "200 OK"
  fi
done
answer "401 Unauthorized"
