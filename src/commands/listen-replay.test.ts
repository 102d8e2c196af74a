/** `bellwire listen --replay`: what it posts to a real receiver, and where it refuses to post. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { makeTarget } from "../../test/kit/make.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { buildRequest } from "../delivery/send/request.ts";
import { saveWebhook } from "../receiver/save-webhook.ts";
import { verify } from "../receiver/verify-event.ts";
import { listen } from "./listen.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const BODY = '{ "event":"demo_viewed","name":"Präsentation","lead":null}';
const HOUR_MS = 3_600_000;

const FOLDER = mkdtempSync(join(tmpdir(), "bellwire-replay-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Saves a webhook of an hour ago, as `bellwire listen --save` does. */
function save(webhookId: string): string {
  const target = makeTarget({ secrets: [SECRET] });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  const nowMs = Date.now() - HOUR_MS;
  const { headers } = buildRequest({ webhookId, body: BODY, target, nowMs, names, owner: "acct-1" });
  const received = [["Host", "elsewhere.test"], ["X-Team", "sales: north"], ...Object.entries(headers)] as const;
  const saved = saveWebhook(FOLDER, {
    body: Buffer.from(BODY),
    headers: received.map(([name, value]) => [name, value] as const),
    receivedAtMs: nowMs,
    verification: { valid: true, webhookId },
  });
  assert.ok(saved.ok);
  return saved.value;
}

async function replay(...args: string[]) {
  const command = createFakeIo(["--replay", ...args]);
  return { ...command, code: await listen(command.io) };
}

describe("bellwire listen --replay", () => {
  test("posts a saved file byte for byte, with the headers it came with", async () => {
    await using receiver = await startReceiver({ body: "thanks" });
    const { code, out } = await replay(save("dlv_1"), "--to", `${receiver.url}/hook?a=1`);
    assert.equal(code, 0);
    const [request] = receiver.requests;
    assert.equal(request?.path, "/hook?a=1");
    assert.equal(request.body.toString(), BODY);
    assert.equal(request.headers["x-team"], "sales: north");
    assert.equal(request.headers.host, new URL(receiver.url).host);
    assert.match(out[0] ?? "", /demo_viewed +Präsentation · unknown visitor$/);
    assert.deepEqual(out.slice(1), [`✓ ${receiver.url}/hook?a=1 answered 200`, "    thanks"]);
    // The signature over the body still holds; its time is too old.
    assert.deepEqual(verify(request.body, request.headers, SECRET), { valid: false, reason: "timestamp_too_old" });
  });

  test("finds a delivery by its webhook-id, and signs it anew when it is given the secret", async () => {
    await using receiver = await startReceiver();
    save("dlv_2");
    const { code } = await replay("dlv_2", "--from", FOLDER, "--to", receiver.url, "--secret", SECRET);
    assert.equal(code, 0);
    const [request] = receiver.requests;
    const verified = verify(request?.body ?? "", request?.headers ?? {}, SECRET);
    assert.deepEqual(verified, { valid: true, event: JSON.parse(BODY), webhookId: "dlv_2", isTest: false });
  });

  test("ends with 1 when the receiver does not take it, and says what helps", async () => {
    await using receiver = await startReceiver({ status: 401, body: "\u001b[2Jtoo old\n" });
    const { code, out, err } = await replay(save("dlv_3"), "--to", receiver.url);
    assert.equal(code, 1);
    assert.equal(out[1], `✗ ${receiver.url} answered 401`);
    assert.doesNotMatch(out.join(""), /\p{Cc}/u);
    assert.match(err.join("\n"), /give --secret-file, and it is signed anew/);
  });

  test("says when no server is there", async () => {
    const { code, err } = await replay(save("dlv_4"), "--to", "http://127.0.0.1:1/");
    assert.equal(code, 1);
    assert.match(err.join("\n"), /did not answer \(.*\)\. Is the receiver running/);
  });

  test("says which file is missing", async () => {
    const missing = await replay("dlv_none", "--from", FOLDER);
    assert.deepEqual([missing.code, missing.err.length], [1, 1]);
    assert.match(missing.err[0] ?? "", /dlv_none\.json cannot be read \(ENOENT\)/);
    writeFileSync(join(FOLDER, "alone.json"), BODY);
    assert.match((await replay(join(FOLDER, "alone.json"))).err[0] ?? "", /alone\.headers, which belongs to it/);
  });

  for (const to of [
    "https://example.com/",
    "http://127.0.0.1.example.com/",
    "http://192.0.2.1/",
    "ftp://localhost/",
    "x",
  ]) {
    test(`posts to this machine only, not to ${to}`, async () => {
      const { code, err } = await replay(save("dlv_5"), "--to", to);
      assert.equal(code, 1);
      assert.match(err.join("\n"), /must be an address of this machine/);
    });
  }
});
