/** A webhook receiver with Express: npm install express */
import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";

// One secret, or two with a comma between them while the secret is being rotated.
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(/[\s,]+/).filter((secret) => secret !== "");
// Anybody can sign with a secret that is empty.
if (secrets.length === 0) throw new Error("set WEBHOOK_SECRETS");

/** Whether the signature was made over exactly these bytes with one of our secrets. */
function isGenuine(rawBody, signature = "") {
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const expected = Buffer.from(createHmac("sha256", secret).update(rawBody).digest("base64"));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const app = express();

// express.raw, not express.json: the signature covers the bytes as they were sent.
app.post("/webhooks", express.raw({ type: "*/*", limit: "2mb" }), (request, response) => {
  // A request without a body gets no buffer from Express.
  const rawBody = Buffer.isBuffer(request.body) ? request.body : "";
  if (!isGenuine(rawBody, request.get("x-service-signature"))) return response.sendStatus(401);
  const event = JSON.parse(rawBody);
  const id = request.get("webhook-id") ?? "";
  // A test from the dashboard: nothing has happened, and its body is a sample.
  const isTest = id.startsWith("test_");
  // Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
  console.log(isTest ? "test" : "event", id, event.event, event.id);
  response.sendStatus(200);
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log(`listening on ${server.address().port}`));
