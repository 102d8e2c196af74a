/** `bellwire/client/read` against the real service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startDashboard } from "../../test/kit/world/dashboard.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { makeReadKey } from "../accounts/read-keys.ts";
import { createReader, ReadError } from "./read.ts";

const ACCOUNT = "acme";

async function start() {
  const dashboard = await startDashboard();
  const { accounts } = dashboard.app;
  await createAlert(accounts, { accountId: ACCOUNT, url: "http://127.0.0.1:9/hook" });
  const by = { person: "ada@example.com", role: "owner" } as const;
  const { key } = toValue(await makeReadKey(accounts, { accountId: null, name: "tests", by }));
  const reader = createReader({ url: `${dashboard.url}/`, key, retryForMs: 0 });
  return { dashboard, reader };
}

test("lists come over all pages, as far as they are read, and one comes whole", async () => {
  const { dashboard, reader } = await start();
  await using _ = dashboard;
  await dashboard.postSessions(130);
  const ids: string[] = [];
  for await (const { id } of reader.deliveries(ACCOUNT)) ids.push(id);
  assert.deepEqual([ids.length, new Set(ids).size], [130, 130]);
  const failed = await Array.fromAsync(reader.deliveries(ACCOUNT, { status: "delivered" }));
  assert.deepEqual(failed, []);
  const events = await Array.fromAsync(reader.events(ACCOUNT, { event: "demo_viewed" }));
  assert.equal(events.length, 130);
  for await (const { id } of reader.events(ACCOUNT)) {
    assert.equal(id, events[0]?.id, "the newest, and no page behind it");
    break;
  }
  const delivery = await reader.delivery(ACCOUNT, ids[0] ?? "");
  assert.ok(delivery.kind === "done" && Array.isArray(delivery.value.attempts));
  const event = await reader.event(ACCOUNT, delivery.value.event_id);
  assert.deepEqual(event.kind === "done" && event.value.not_sent, []);
  const url = "http://127.0.0.1:9/hook";
  for (let n = 1; n < 60; n += 1) await createAlert(dashboard.app.accounts, { accountId: ACCOUNT, url });
  const webhooks = await Array.fromAsync(reader.webhooks(ACCOUNT));
  assert.deepEqual([webhooks.length, new Set(webhooks.map(({ id }) => id)).size, webhooks[0]?.state], [60, 60, "on"]);
  const account = await reader.account(ACCOUNT);
  assert.equal(account.kind === "done" && account.value.webhooks, 60);
  assert.deepEqual(
    (await Array.fromAsync(reader.accounts())).map(({ id }) => id),
    [ACCOUNT],
  );
});

test("a refusal is a value of one thing, and ends a list", async () => {
  const { dashboard, reader } = await start();
  await using _ = dashboard;
  const none = await reader.delivery(ACCOUNT, "dlv_none");
  assert.equal(none.kind === "refused" && none.code, "delivery_not_found");
  await assert.rejects(
    Array.fromAsync(reader.deliveries(ACCOUNT, { since: "yesterday" })),
    (error) =>
      error instanceof ReadError && error.result.kind === "refused" && error.message.startsWith("invalid_parameter: "),
  );
  await dashboard.stop();
  const away = await reader.account(ACCOUNT);
  assert.equal(away.kind, "unavailable");
});

test("what cannot be a key is refused before any call", () => {
  assert.throws(() => createReader({ url: "http://127.0.0.1:9", key: "" }), /the read key is empty/);
  assert.throws(() => createReader({ url: "127.0.0.1", key: "bwr_x" }), /is not an http or https address/);
});
