/** A webhook receiver that holds no secret: it checks with the account's public key. Needs nothing but Node. */
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

// One public key, or two with a comma between them while the key is being rotated.
const keys = (process.env.WEBHOOK_PUBLIC_KEYS ?? "")
  .split(/[\s,]+/)
  .filter((key) => key !== "")
  .map(parseKey);
if (keys.length === 0) throw new Error("set WEBHOOK_PUBLIC_KEYS");

/** whpk_ and the 32 bytes of an Ed25519 public key in base64. */
function parseKey(text) {
  if (!/^whpk_[A-Za-z0-9+/]{43}=$/.test(text))
    throw new Error("a public key is whpk_ and base64, as the page shows it");
  const x = Buffer.from(text.slice("whpk_".length), "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** Whether one of our keys vouches for id, time and these bytes, and the time is not more than five minutes away. */
function isGenuine(rawBody, headers) {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signatures = "" } = headers;
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), rawBody]);
  const given = signatures.split(" ").filter((part) => part.startsWith("v1a,"));
  return given.some((part) => keys.some((key) => verify(null, signed, key, Buffer.from(part.slice(4), "base64"))));
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (!isGenuine(rawBody, request.headers)) return response.writeHead(401).end();
  const event = JSON.parse(rawBody);
  const id = request.headers["webhook-id"];
  // A test from the dashboard: nothing has happened, and its body is a sample.
  const isTest = id.startsWith("test_");
  // Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
  console.log(isTest ? "test" : "event", id, event.event, event.id);
  response.writeHead(200).end();
});

server.listen(Number(process.env.PORT ?? 3000), () => console.log(`listening on ${server.address().port}`));
