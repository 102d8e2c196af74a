/** `bellwire notify-test` against a real receiver: what arrives, what is printed, and how it ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { verify } from "../receiver/verify.ts";
import { notifyTest } from "./notify-test.ts";

const SECRET = `whsec_${Buffer.alloc(32, "operator").toString("base64")}`;

async function run({ url }: Pick<Receiver, "url">) {
  const env = { BELLWIRE_OPERATOR_WEBHOOK_URL: `${url}/s3cret`, BELLWIRE_OPERATOR_WEBHOOK_SECRET: SECRET };
  const { io, out, err } = createFakeIo([], env);
  return { exitCode: await notifyTest(io), out, err };
}

test("sends a signed test, although the receiver is on this machine", async () => {
  await using receiver = await startReceiver();
  const { exitCode, out, err } = await run(receiver);
  assert.deepEqual([exitCode, err], [0, []]);
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.requests;
  assert.equal(verify({ body, headers }, [SECRET], { nowMs: Date.now() }).valid, true);
  assert.equal(JSON.parse(String(body)).event, "operator_test");
  assert.match(out[0] ?? "", /^Told http:\/\/127\.0\.0\.1:\d+: status 200, \d+ ms \(ntc_[0-9a-f]{32}\)$/);
});

test("says what it met when it was not taken, and shows nothing of the path", async () => {
  await using receiver = await startReceiver({ status: 401 });
  const refused = await run(receiver);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.err[0] ?? "", /^Not told http:\S+: status 401/);
  await receiver[Symbol.asyncDispose]();
  const gone = await run(receiver);
  assert.match(gone.err[0] ?? "", /: network error ECONNREFUSED/);
  assert.doesNotMatch(JSON.stringify([refused, gone]), /s3cret/);
});

test("says that no address is set", async () => {
  const { io, err } = createFakeIo([]);
  assert.equal(await notifyTest(io), 1);
  assert.match(err[0] ?? "", /BELLWIRE_OPERATOR_WEBHOOK_URL is not set/);
});
