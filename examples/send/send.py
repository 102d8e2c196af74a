# Sends a record until Bellwire has it: python3 send.py acme demo_viewed 6f1c… < record.json
import os, random, sys, time, urllib.error, urllib.request


def send(account, event_type, key, record, give_up_s=60):
    url = f"{os.environ['BELLWIRE_URL']}/v1/accounts/{account}/events/{event_type}"
    # The same key with each try: a record that arrived although its answer did not becomes no second event.
    headers = {"Authorization": "Bearer " + os.environ["BELLWIRE_API_KEY"], "Content-Type": "application/json",
               "Idempotency-Key": key}
    give_up, pause = time.monotonic() + give_up_s, 0.25
    while True:
        wait = pause * random.uniform(0.5, 1)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, record, headers), timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code < 500 and error.code not in (408, 429):
                raise SystemExit(text)  # Refused: it would be again. Correct the record.
            wait = max(wait, float(error.headers.get("Retry-After", 0)))
        except OSError as error:
            text = str(error)
        if time.monotonic() + wait > give_up:
            raise SystemExit(text)  # Keep the record, and send it later with the same key.
        time.sleep(wait)
        pause = min(pause * 2, 30)


print(send(*sys.argv[1:4], sys.stdin.buffer.read()))
