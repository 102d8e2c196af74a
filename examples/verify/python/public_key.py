# A webhook receiver that holds no secret: it checks with the account's public key. pip install cryptography
import base64
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def parse_key(text: str) -> Ed25519PublicKey:
    """whpk_ and the 32 bytes of an Ed25519 public key in base64."""
    if not re.fullmatch(r"whpk_[A-Za-z0-9+/]{43}=", text):
        raise SystemExit("a public key is whpk_ and base64, as the page shows it")
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(text.removeprefix("whpk_")))


# One public key, or two with a comma between them while the key is being rotated.
keys = [parse_key(text) for text in os.environ["WEBHOOK_PUBLIC_KEYS"].replace(",", " ").split()]
if not keys:
    raise SystemExit("set WEBHOOK_PUBLIC_KEYS")


def is_signed(signed: bytes, signature: str) -> bool:
    for key in keys:
        try:
            key.verify(base64.b64decode(signature), signed)
            return True
        except (InvalidSignature, ValueError):
            pass
    return False


def is_genuine(raw_body: bytes, headers) -> bool:
    """Whether one of our keys vouches for id, time and these bytes, and the time is not more than five minutes away."""
    sent_at = headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", sent_at) or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + raw_body
    given = headers.get("webhook-signature", "").split(" ")
    return any(is_signed(signed, part[4:]) for part in given if part.startswith("v1a,"))


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        # The signature covers the bytes as they were sent: verify before parsing.
        length = self.headers.get("content-length", "")
        raw_body = self.rfile.read(int(length) if length.isdecimal() else 0)
        genuine = is_genuine(raw_body, self.headers)
        self.send_response(200 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()
        if genuine:
            event = json.loads(raw_body)
            webhook_id = self.headers.get("webhook-id", "")
            # A test from the dashboard: nothing has happened, and its body is a sample.
            kind = "test" if webhook_id.startswith("test_") else "event"
            # A repeat has the same webhook-id: remember the ones you have handled.
            print(kind, webhook_id, event["event"], event["id"], flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Webhooks)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
