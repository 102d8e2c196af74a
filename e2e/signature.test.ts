import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type ReceivedRequest, startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { newFolder } from "../test/kit/folder.ts";
import { conversationRecord, sessionRecord } from "../test/kit/process/records.ts";
import { SHORT_RETRIES, startService } from "../test/kit/process/running.ts";
import { soon } from "../test/kit/wait.ts";

/** One of each family, refused twice by its receiver and then taken: six requests, as they were on the wire. */
async function receiveThreeAttemptsOfEach() {
  using folder = newFolder();
  await using receiver = await startReceiver(({ path, number }) => {
    const earlier = receiver.requests.filter((request) => request.path === path && request.number < number);
    return { status: earlier.length < 2 ? 503 : 200 };
  });
  const dataDir = `${folder.path}/data`;
  const secret = await setUpAccount({
    dataDir,
    alerts: [{ url: `${receiver.url}/demo` }],
    assistants: { sales: `${receiver.url}/chat` },
  });
  await using service = await startService({ dataDir, program: [SHORT_RETRIES] });
  // The name is in every writing system's bytes, so that a signature over anything but UTF-8 would differ.
  await service.post("demo-sessions", sessionRecord(randomUUID(), { name: "Überblick – デモ 🚀" }));
  await service.post("chat-conversations", conversationRecord(randomUUID(), "sales"));
  await soon(receiver.received(6), "three attempts of two deliveries");
  return { secret, attemptsOf: (path: string) => receiver.requests.filter((request) => request.path === path) };
}

const { secret, attemptsOf } = await receiveThreeAttemptsOfEach();

for (const path of ["/demo", "/chat"]) {
  test(`the three attempts at ${path} carry the same bytes, id and service signature`, () => {
    const attempts = attemptsOf(path);
    assert.equal(attempts.length, 3);
    for (const constant of ["webhook-id", "x-service-signature", "content-length", "content-type", "user-agent"]) {
      const values = new Set(attempts.map(({ headers }) => headers[constant]));
      assert.equal(values.size, 1, constant);
      assert.ok(!values.has(undefined), constant);
    }
    assert.equal(new Set(attempts.map(({ body }) => body.toString("hex"))).size, 1);
  });

  test(`standardwebhooks from npm accepts each attempt at ${path}, and none with a changed byte`, () => {
    const webhook = new Webhook(secret);
    for (const { body, headers } of attemptsOf(path)) {
      assert.deepEqual(webhook.verify(body.toString("utf8"), headers), JSON.parse(body.toString("utf8")));
      assert.throws(() => webhook.verify(withChangedByte(body).toString("utf8"), headers), /No matching signature/);
      const elsewhen = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) };
      assert.throws(() => webhook.verify(body.toString("utf8"), elsewhen), /No matching signature/);
    }
  });

  test(`openssl computes the same x-service-signature from the bytes that ${path} received`, (t) => {
    if (spawnSync("openssl", ["version"]).status !== 0) return t.skip("there is no openssl on this machine");
    for (const { body, headers } of attemptsOf(path)) {
      assert.equal(signatureByOpenssl(body), headers["x-service-signature"]);
      assert.notEqual(signatureByOpenssl(withChangedByte(body)), headers["x-service-signature"]);
    }
  });
}

function signatureByOpenssl(body: ReceivedRequest["body"]): string {
  const args = ["dgst", "-sha256", "-hmac", secret, "-binary"];
  const { stdout, stderr, status } = spawnSync("openssl", args, { input: body });
  assert.equal(status, 0, stderr.toString());
  return stdout.toString("base64");
}

/** Still JSON: one letter of a string is another one. */
function withChangedByte(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const place = changed.indexOf("example");
  changed.write("E", place, "latin1");
  return changed;
}
