/** An event type whose file goes while 1,000 of its deliveries wait: nothing that was accepted is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../test/kit/world/app-under-test.ts";
import { createWebhook } from "../test/kit/world/alerts.ts";
import { DECLARED_TYPES, LEAD_TYPE, leadRecord } from "../test/kit/declared-types.ts";
import { newFolder } from "../test/kit/folder.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { soon } from "../test/kit/wait.ts";
import { ADA, toValue, uuid } from "../test/kit/world/world.ts";
import { setDestinationState } from "../src/accounts/set-destination-state.ts";
import { verify } from "../src/receiver/verify-event.ts";

const RECORDS = 1_000;
const ACCOUNT = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
const ADDRESS = `/v1/accounts/acme/events/${LEAD_TYPE}`;

type TestApp = Awaited<ReturnType<typeof createTestApp>>;

async function decide({ app: { accounts } }: TestApp, state: "on" | "paused"): Promise<string> {
  const view = await accounts.accounts.load("acme");
  const destinationId = view?.webhooks[0]?.destination.id ?? "";
  toValue(await setDestinationState(accounts, { accountId: "acme", destinationId, state, by: ADA, reason: "asked" }));
  return view?.secrets.current.secret ?? "";
}

test("deliveries of a type that is declared no more are still made, and its events stay in the log", async () => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const env = { BELLWIRE_DATABASE: `sqlite:${folder.path}/bellwire.db`, BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
  const keys = { encryptionKey: new Uint8Array(32), apiKeys: ["test-intake-key-0123456789"], madeFiles: [] };
  {
    await using service = await createTestApp(env, { keys, types: DECLARED_TYPES });
    await service.put("/v1/accounts/acme", ACCOUNT);
    await createWebhook(service.app.accounts, { accountId: "acme", url: receiver.url, events: [{ type: LEAD_TYPE }] });
    await decide(service, "paused");
    const lines = Array.from({ length: RECORDS }, (_, number) => `${leadRecord(uuid(number))}\n`).join("");
    const answer = await service.post(ADDRESS, lines, { "content-type": "application/x-ndjson" });
    assert.equal(answer.body.match(/"deliveries":1/g)?.length, RECORDS, answer.body.slice(0, 500));
  }
  await using service = await createTestApp(env, { keys });
  await service.app.start();
  const refused = await service.post(ADDRESS, leadRecord(uuid(RECORDS)));
  assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [404, "unknown_event_type"]);
  assert.equal(receiver.requests.length, 0, "its webhook is paused");

  const secret = await decide(service, "on");
  await soon(receiver.received(RECORDS), "all of its deliveries");
  const ids = receiver.requests.map(({ body, headers }) => {
    const webhook = verify<{ readonly event: string; readonly id: string }>(body, headers, secret);
    assert.ok(webhook.valid && webhook.event.event === LEAD_TYPE, JSON.stringify(webhook));
    return webhook.event.id;
  });
  assert.deepEqual(
    ids.toSorted(),
    Array.from({ length: RECORDS }, (_, number) => uuid(number)),
  );
  const event = await service.app.store.loadEvent({ accountId: "acme", type: LEAD_TYPE, sourceId: uuid(7) });
  assert.equal(event?.body, receiver.requests[ids.indexOf(uuid(7))]?.body.toString("utf8"));
});
