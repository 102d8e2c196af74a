/** The receiver over real sockets: its answers, its callbacks, and that nothing holds it up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, test } from "node:test";
import { request } from "undici";
import { buildRequest } from "../delivery/send/request.ts";
import { type ReceivedWebhook, type Receiver, startReceiver } from "./receiver.ts";
import { makeTarget } from "../../test/kit/make.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const BODY = '{"event":"demo_viewed", "name":"Präsentation"}';

let receiver: Receiver | null = null;
let received: ReceivedWebhook[] = [];

async function start(secrets: readonly string[] = [SECRET]): Promise<Receiver> {
  received = [];
  receiver = await startReceiver({
    host: "127.0.0.1",
    port: 0,
    secrets: () => secrets,
    signatureHeader: "x-service-signature",
    nowMs: () => Date.now(),
    onWebhook: (webhook) => received.push(webhook),
  });
  return receiver;
}

afterEach(async () => {
  await receiver?.stop();
});

function signed(url: string, body = BODY): Record<string, string> {
  const target = makeTarget({ url: new URL(url), secrets: [SECRET] });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  return { ...buildRequest({ webhookId: "dlv_1", body, target, nowMs: Date.now(), names, owner: "acct-1" }).headers };
}

interface PostParams {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

async function post(url: string, { headers = signed(url), body = BODY }: PostParams = {}) {
  const answer = await request(url, { method: "POST", headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe("the receiver", () => {
  test("answers 200 to a webhook that verifies, and hands on its bytes and headers as they came", async () => {
    const { url } = await start();
    assert.deepEqual(await post(`${url}/any/path?and=query`), { status: 200, text: "verified\n" });
    const [webhook] = received;
    assert.deepEqual(webhook?.verification, { valid: true, webhookId: "dlv_1" });
    assert.equal(webhook?.body.toString(), BODY);
    assert.ok(webhook?.headers.some(([name, value]) => name === "webhook-id" && value === "dlv_1"));
  });

  test("answers 401 to one that does not, says why, and hands it on all the same", async () => {
    const { url } = await start();
    const answer = await post(url, { headers: signed(url), body: BODY.replace(", ", ",  ").slice(0, BODY.length) });
    assert.equal(answer.status, 401);
    assert.match(answer.text, /^not verified: the signature does not match/);
    assert.deepEqual(received[0]?.verification, { valid: false, reason: "signature_mismatch" });
  });

  test("has told its owner when the answer arrives", async () => {
    const { url } = await start();
    await post(url);
    assert.equal(received.length, 1);
  });

  test("takes POST only", async () => {
    const { url } = await start();
    const answer = await request(url);
    assert.equal(answer.statusCode, 405);
    assert.equal(answer.headers.allow, "POST");
    await answer.body.dump();
    assert.equal(received.length, 0);
  });

  test("asks to come again while it has no secret", async () => {
    const { url } = await start([]);
    assert.equal((await post(url)).status, 503);
    assert.equal(received.length, 0);
  });

  test("refuses a body above its maximum without keeping it", async () => {
    const { url } = await start();
    const body = Buffer.alloc(2 * 1024 * 1024 + 1);
    const answer = await post(url, { headers: { "content-length": String(body.length) }, body }).catch(() => null);
    // The receiver hangs up on the rest, so the sender may see a reset instead of the answer.
    if (answer !== null) assert.equal(answer.status, 413);
    assert.equal(received.length, 0);
    assert.equal((await post(url)).status, 200);
  });

  test("stops at once while a sender is in the middle of its body", { timeout: 5_000 }, async () => {
    const { port, stop } = await start();
    const socket = connect(port, "127.0.0.1");
    // The reset is the subject of this test.
    socket.on("error", () => {});
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{");
    await once(socket, "connect");
    await Promise.all([stop(), closed]);
    await stop();
    assert.equal(received.length, 0);
  });

  test("rejects with the system's code when its port is taken", async () => {
    const { port } = await start();
    const options = { host: "127.0.0.1", port, secrets: () => [], signatureHeader: "x", nowMs: () => 0 };
    await assert.rejects(startReceiver({ ...options, onWebhook: () => {} }), { code: "EADDRINUSE" });
  });
});
