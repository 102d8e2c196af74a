/**
 * A person's settings on one node hold for the next event on the other, and not "within a minute": the other node
 * has just used what was there before, so that whatever it remembers is old.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { deleteAlert, type AlertDraft, saveAlert } from "../src/accounts/save-alert.ts";
import { type Rotation, addSigningKey, endRotation, rotateSecret } from "../src/accounts/rotate-secret.ts";
import { setDestinationState } from "../src/accounts/set-destination-state.ts";
import type { App } from "../src/app.ts";
import { signService, signStandard } from "../src/domain/signature.ts";
import { makeAlertSettings, makeWebhookForm } from "../test/kit/make.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { ADA as by, uuid, toValue } from "../test/kit/world/world.ts";
import { ACCOUNT as accountId, call, startNode } from "../test/kit/process/node.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { soon } from "../test/kit/wait.ts";

let cluster: SharedCluster;
let url: string;
let receiver: Receiver;
/** Where people set things up. */
let one: App;
/** Where the product sends its records. */
let other: App;
let stack: AsyncDisposableStack;
let sent = 0;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
  await (await startNode(url)).stop();
});
after(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  await cluster.emptyStore(url);
  stack = new AsyncDisposableStack();
  receiver = stack.use(await startReceiver());
  one = stack.use(await startNode(url));
  other = stack.use(await startNode(url));
  await putPlan(one, "starter");
});
afterEach(() => stack.disposeAsync());

async function putPlan(node: App, plan: string): Promise<void> {
  const payload = { name: "Acme", plan, app_url: "https://app.example.com" };
  assert.ok((await call(node, { method: "PUT", path: "", payload })).status < 300);
}

interface AlertChanges {
  readonly existing?: AlertDraft["existing"];
  readonly settings?: Partial<AlertDraft["settings"]>;
  /** Below the receiver. */
  readonly path?: string;
  readonly token?: string;
}

async function save({ existing = null, settings = {}, path = "/hook", token = "first" }: AlertChanges = {}) {
  const base = makeAlertSettings({ name: "All" });
  const headers = [{ name: "x-token", value: token, secret: true }];
  const webhook = makeWebhookForm({ url: receiver.url + path, headers });
  return toValue(
    await saveAlert(one.accounts, { accountId, existing, settings: { ...base, ...settings }, webhook, by }),
  );
}

/** The product tells the other node of a session: how many deliveries it makes. */
async function tell(changes: Readonly<Record<string, unknown>> = {}): Promise<number> {
  sent += 1;
  const payload = sessionRecord(uuid(sent), changes);
  const answer = await call(other, { method: "POST", path: "/demo-sessions", payload });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.deliveries ?? Number.NaN;
}

/** The one request that the next session makes. */
async function tellAndReceive(): Promise<ReceivedRequest> {
  const already = receiver.requests.length;
  assert.equal(await tell(), 1);
  await soon(receiver.received(already + 1), "the webhook");
  return receiver.requests[already] ?? assert.fail();
}

async function secrets(): Promise<{ readonly current: string; readonly previous: string | undefined }> {
  one.accounts.accounts.forget(accountId);
  const kept = (await one.accounts.accounts.load(accountId))?.secrets;
  return { current: kept?.current.secret ?? assert.fail(), previous: kept?.previous?.secret };
}

const isSignedBy = ({ headers, body }: ReceivedRequest, secret: string): boolean =>
  headers["x-service-signature"] === signService(body.toString("utf8"), secret);

test("a new alert fires, with its address and its headers", async () => {
  assert.equal(await tell(), 0);
  await save();
  const { path, headers } = await tellAndReceive();
  assert.deepEqual([path, headers["x-token"]], ["/hook", "first"]);
});

test("a changed address, changed headers and a changed trigger", async () => {
  const existing = await save();
  await tellAndReceive();
  const changed = await save({ existing, path: "/new", token: "second" });
  const { path, headers } = await tellAndReceive();
  assert.deepEqual([path, headers["x-token"]], ["/new", "second"]);
  await save({ existing: changed, settings: { intentLevels: ["low"] } });
  assert.deepEqual([await tell({ intent_level: "high" }), await tell({ intent_level: "low" })], [0, 1]);
});

test("webhooks that are switched off, and on again", async () => {
  const existing = await save();
  await tellAndReceive();
  const off = await save({ existing, settings: { webhooksOn: false } });
  assert.equal(await tell(), 0);
  await save({ existing: off });
  await tellAndReceive();
});

test("a destination that is paused: nothing goes out, and all of it when it is on again", async () => {
  await save();
  await tellAndReceive();
  const destinationId = [...((await one.accounts.accounts.load(accountId))?.destinations.keys() ?? [])][0];
  assert.ok(destinationId !== undefined);
  const decide = (state: "paused" | "on") =>
    setDestinationState(one.accounts, { accountId, destinationId, state, by, reason: "" });
  toValue(await decide("paused"));
  assert.equal(await tell(), 1);
  assert.equal(await tell(), 1);
  assert.equal(await other.engine.tick(), 0);
  assert.equal(receiver.requests.length, 1);
  toValue(await decide("on"));
  await soon(receiver.received(3), "what waited");
});

test("a lower plan, and a higher one again", async () => {
  await save();
  await tellAndReceive();
  await putPlan(one, "free");
  assert.equal(await tell(), 0);
  await putPlan(one, "growth");
  await tellAndReceive();
});

test("a secret that leaked signs nothing more", async () => {
  await save();
  const { current: leaked } = await secrets();
  assert.ok(isSignedBy(await tellAndReceive(), leaked));
  const rotation: Rotation = { accountId, overlap: "none", by };
  toValue(await rotateSecret(one.accounts, rotation));
  const { current } = await secrets();
  assert.notEqual(current, leaked);
  assert.ok(isSignedBy(await tellAndReceive(), current));
});

test("a new secret signs beside the previous one, then alone, and with the key that was added", async () => {
  await save();
  await tellAndReceive();
  toValue(await rotateSecret(one.accounts, { accountId, overlap: "24h", by }));
  const { current, previous = assert.fail() } = await secrets();
  const request = await tellAndReceive();
  assert.ok(isSignedBy(request, previous));
  const { headers, body } = request;
  const signed = {
    id: headers["webhook-id"] ?? "",
    timestampSeconds: Number(headers["webhook-timestamp"]),
    body: body.toString("utf8"),
  };
  assert.equal(headers["webhook-signature"], signStandard(signed, [previous, current]));
  toValue(await endRotation(one.accounts, { accountId, keep: "current", by }));
  toValue(await addSigningKey(one.accounts, { accountId, by }));
  const alone = await tellAndReceive();
  assert.ok(isSignedBy(alone, current));
  assert.match(alone.headers["webhook-signature"] ?? "", /^v1,\S{44} v1a,\S{88}$/);
});

test("a deleted alert", async () => {
  const { id, revision } = await save();
  await tellAndReceive();
  toValue(await deleteAlert(one.accounts, { accountId, id, revision, by }));
  assert.equal(await tell(), 0);
});
