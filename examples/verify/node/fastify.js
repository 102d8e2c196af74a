/** A webhook receiver with Fastify: npm install fastify */
import { createHmac, timingSafeEqual } from "node:crypto";
import Fastify from "fastify";

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

const app = Fastify({ bodyLimit: 2 * 1024 * 1024 });

// The body stays a buffer: the signature covers the bytes as they were sent.
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body));

app.post("/webhooks", (request, reply) => {
  // A request without a body gets no buffer from Fastify.
  const rawBody = request.body ?? "";
  if (!isGenuine(rawBody, request.headers["x-service-signature"])) return reply.code(401).send();
  const event = JSON.parse(rawBody);
  const id = request.headers["webhook-id"] ?? "";
  // A test from the dashboard: nothing has happened, and its body is a sample.
  const isTest = id.startsWith("test_");
  // Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
  console.log(isTest ? "test" : "event", id, event.event, event.id);
  reply.code(200).send();
});

await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${app.server.address().port}`);
