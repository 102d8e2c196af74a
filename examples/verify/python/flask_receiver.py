# A webhook receiver with Flask: pip install flask
import base64
import hashlib
import hmac
import os

from flask import Flask, request

# One secret, or two with a comma between them while the secret is being rotated.
secrets = [secret.encode() for secret in os.environ["WEBHOOK_SECRETS"].replace(",", " ").split()]
if not secrets:
    # Anybody can sign with a secret that is empty.
    raise SystemExit("set WEBHOOK_SECRETS")
app = Flask(__name__)


def is_genuine(raw_body: bytes, signature: str) -> bool:
    """Whether the signature was made over exactly these bytes with one of our secrets."""
    expected = [base64.b64encode(hmac.new(secret, raw_body, hashlib.sha256).digest()) for secret in secrets]
    return any([hmac.compare_digest(signature.encode(), one) for one in expected])


@app.post("/webhooks")
def webhook():
    # get_data, not get_json: the signature covers the bytes as they were sent.
    if not is_genuine(request.get_data(), request.headers.get("x-service-signature", "")):
        return "", 401
    event = request.get_json()
    webhook_id = request.headers.get("webhook-id", "")
    # A test from the dashboard: nothing has happened, and its body is a sample.
    kind = "test" if webhook_id.startswith("test_") else "event"
    # Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
    print(kind, webhook_id, event["event"], event["id"], flush=True)
    return "", 200


if __name__ == "__main__":
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", int(os.environ.get("PORT", "3000")), app)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
