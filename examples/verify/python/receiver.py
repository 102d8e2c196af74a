# A webhook receiver with nothing but Python's standard library.
import base64
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# One secret, or two with a comma between them while the secret is being rotated.
secrets = [secret.encode() for secret in os.environ["WEBHOOK_SECRETS"].replace(",", " ").split()]
if not secrets:
    # Anybody can sign with a secret that is empty.
    raise SystemExit("set WEBHOOK_SECRETS")


def is_genuine(raw_body: bytes, signature: str) -> bool:
    """Whether the signature was made over exactly these bytes with one of our secrets."""
    expected = [base64.b64encode(hmac.new(secret, raw_body, hashlib.sha256).digest()) for secret in secrets]
    return any([hmac.compare_digest(signature.encode(), one) for one in expected])


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        # The signature covers the bytes as they were sent: verify before parsing.
        length = self.headers.get("content-length", "")
        raw_body = self.rfile.read(int(length) if length.isdecimal() else 0)
        genuine = is_genuine(raw_body, self.headers.get("x-service-signature", ""))
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
