/** The live stream over real sockets; what it collects and keeps is tested on a virtual clock beside `hub.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAccount, makeAlertSettings, makeWebhookForm } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { type Frame, listenLive } from "../../../test/kit/browser/live-page.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { type SignedIn, signIn } from "../../../test/kit/world/signed-in.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { putAccount } from "../../accounts/put-account.ts";
import { saveAlert } from "../../accounts/save-alert.ts";
import { accept } from "../../delivery/accept.ts";
import type { LiveFrames } from "../contract/live.ts";
import { STREAMS_PER_ACCOUNT_MAX } from "./hub.ts";

async function openApp() {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const { app } = building.use(await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" }));
  const { port } = await app.start();
  for (const accountId of ["acme", "other"]) {
    await putAccount(app.accounts, makeAccount({ id: accountId }));
    const settings = makeAlertSettings({ name: "All" });
    const webhook = makeWebhookForm({ url: receiver.url });
    const by = { person: "ana@example.com", role: "owner" } as const;
    toValue(await saveAlert(app.accounts, { accountId, existing: null, settings, webhook, by }));
  }

  const ana = await signIn(app, { accountId: "acme" });
  const other = await signIn(app, { accountId: "other" });
  const stack = building.move();
  return {
    app,
    ana,
    other,
    listen: (who: SignedIn, lastEventId?: string) => listenLive({ port, cookie: who.cookie, lastEventId }),
    send: (accountId: string, number: number) =>
      accept({ ctx: app.delivery, engine: app.engine }, accountId, [session(number)]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const changedIn = ({ topic, data }: Frame) =>
  topic === "deliveries" ? (data as LiveFrames["deliveries"]).changed : [];

const isDelivered = (frame: Frame): boolean => changedIn(frame).some(({ status }) => status === "delivered");

test("a delivery is told to the account's page, from its acceptance to its end", async () => {
  await using service = await openApp();
  using page = await service.listen(service.ana);
  assert.equal(page.status, 200);
  assert.equal(page.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.match(String(page.headers["cache-control"]), /no-store/);
  assert.equal(page.headers["x-content-type-options"], "nosniff");
  await service.send("acme", 1);
  await page.next(isDelivered);
  const told = page.frames.flatMap(changedIn);
  assert.equal(told[0]?.isNew, true);
  assert.equal(new Set(told.map(({ id }) => id)).size, 1);
  assert.deepEqual(Object.keys(told[0] ?? {}).toSorted(), ["destinationId", "id", "isNew", "isTest", "status"]);
});

test("what one account does is not told to another", async () => {
  await using service = await openApp();
  using page = await service.listen(service.ana);
  using stranger = await service.listen(service.other);
  await service.send("acme", 1);
  await service.ana.call("POST /failure-mail", { body: { address: "ops@example.com" } });
  await page.next(isDelivered);
  await page.next(({ topic }) => topic === "configuration");
  // Its own news comes last: news of the others would have come before it.
  await service.send("other", 2);
  await stranger.next(isDelivered);
  const mine = new Set(page.frames.flatMap(changedIn).map(({ id }) => id));
  assert.ok(stranger.frames.flatMap(changedIn).every(({ id }) => !mine.has(id)));
  assert.ok(stranger.frames.every(({ topic }) => topic !== "configuration"));
});

test("a save by a person, and a change by the product, are told as configuration", async () => {
  await using service = await openApp();
  {
    using page = await service.listen(service.ana);
    await service.ana.call("POST /failure-mail", { body: { address: "more@example.com" } });
    await page.next(({ topic }) => topic === "configuration");
  }
  using page = await service.listen(service.ana);
  const headers = { authorization: "Bearer test-intake-key-0123456789", "content-type": "application/json" };
  const payload = { name: "Renamed", plan: "growth", app_url: "https://app.example.com" };
  await service.app.server.inject({ method: "PUT", url: "/v1/accounts/acme", headers, payload });
  await page.next(({ topic }) => topic === "configuration");
});

test("who comes back with the last id gets what was missed", async () => {
  await using service = await openApp();
  let seen = "";
  {
    using page = await service.listen(service.ana);
    await service.send("acme", 1);
    ({ id: seen } = await page.next(isDelivered));
  }
  await service.send("acme", 2);
  using page = await service.listen(service.ana, seen);
  await page.next(isDelivered);
  assert.ok(page.frames.every(({ topic }) => topic !== "resync"));
});

test("who comes back with an id that nobody knows is told to fetch everything", async () => {
  await using service = await openApp();
  using page = await service.listen(service.ana, "unknown-7");
  await page.next(({ topic }) => topic === "resync");
});

test("without a session there is no stream", async () => {
  await using service = await openApp();
  const { headers: _, ...answer } = await service.ana.call("GET /session", { headers: { cookie: undefined } });
  assert.equal(answer.status, 401);
  const stream = await service.app.server.inject({ method: "GET", url: "/dashboard/live" });
  assert.deepEqual([stream.statusCode, stream.json().code], [401, "not_signed_in"]);
});

test("a stream ends when its person signs out, and another person's goes on", async () => {
  await using service = await openApp();
  const ben = await signIn(service.app, { accountId: "acme", person: "ben@example.com" });
  using mine = await service.listen(service.ana);
  using theirs = await service.listen(ben);
  await service.ana.call("POST /sign-out");
  await mine.ended;
  await service.send("acme", 1);
  await theirs.next(isDelivered);
});

test("a stop ends the streams and does not wait for those who read them", async () => {
  const service = await openApp();
  using page = await service.listen(service.ana);
  const startedMs = performance.now();
  await service[Symbol.asyncDispose]();
  await page.ended;
  assert.ok(performance.now() - startedMs < 5_000, "the stop waited for its deadline");
});

test("an account's streams are bounded, and the refusal says so", async () => {
  await using service = await openApp();
  using pages = new DisposableStack();
  for (let count = 0; count < STREAMS_PER_ACCOUNT_MAX; count += 1) pages.use(await service.listen(service.ana));
  using refused = await service.listen(service.ana);
  assert.equal(refused.status, 429);
  using stranger = await service.listen(service.other);
  assert.equal(stranger.status, 200);
});
