/** A service that makes bodies of a template is killed while webhooks are under way, and its template changes. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { putAccount } from "../src/accounts/put-account.ts";
import { makeAgain } from "../src/bodies/sent-body.ts";
import { newFolder } from "../test/kit/folder.ts";
import { makeAccount } from "../test/kit/make.ts";
import { openApp } from "../test/kit/process/account.ts";
import { pendingDeliveries } from "../test/kit/process/database-file.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, drained, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { soon } from "../test/kit/wait.ts";
import { createAssistant } from "../test/kit/world/alerts.ts";

const WEBHOOKS = 60;
const BEFORE = '{"v": 1, "id": "{{webhook_id}}", "at": "{{accepted_at}}", "whole": "{{payload}}"}';
const AFTER = '{"v": 2, "id": "{{webhook_id}}"}';

async function saveTemplate(dataDir: string, url: string, template: string): Promise<void> {
  await using app = await openApp({ dataDir });
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT }));
  const webhook = { url, body: "template", template } as const;
  await createAssistant(app.accounts, { accountId: ACCOUNT, assistantId: "bot", ...webhook });
}

test("after a kill between sending and settling the log shows what receivers got, by either template", async (t) => {
  using folder = newFolder();
  await using receiver = await startReceiver({ delayMs: 50 });
  const dataDir = `${folder.path}/data`;
  await saveTemplate(dataDir, receiver.url, BEFORE);
  await using first = await startService({ dataDir });
  const posted = Array.from({ length: WEBHOOKS }, () =>
    first.post("chat-conversations", conversationRecord(randomUUID(), "bot")),
  );
  await Promise.all(posted);
  // Some are settled, some in flight, some answered and on their way to the store.
  await receiver.received(WEBHOOKS / 3);
  await first.crash();
  await soon(receiver.allClosed(), "the end of the sockets");
  const unsettled = pendingDeliveries(dataDir);
  const twice = receiver.requests.filter(({ headers }) => unsettled.has(String(headers["webhook-id"]))).length;
  assert.ok(twice > 0, "a kill came between sending and settling");
  await saveTemplate(dataDir, receiver.url, AFTER);
  await using second = await startService({ dataDir });
  await drained(second);
  assert.equal((await second.stop()).code, 0);

  const received = Map.groupBy(receiver.requests, ({ headers }) => String(headers["webhook-id"]));
  assert.equal(received.size, WEBHOOKS);
  await using app = await openApp({ dataDir });
  let shown = 0;
  const versions = new Set<unknown>();
  for (const [deliveryId, requests] of received) {
    const delivery = await app.accounts.store.loadDelivery({ accountId: ACCOUNT, deliveryId });
    assert.equal(delivery?.state, "delivered");
    for (const { sent = null } of delivery.attempts) {
      assert.ok(sent !== null);
      const [text] = await app.accounts.store.loadBodyTexts({ accountId: ACCOUNT, ids: [sent.textId] });
      const made = makeAgain(sent, text, delivery);
      assert.ok(made !== null && !made.differs);
      assert.ok(requests.some(({ body }) => body.toString("utf8") === made.body));
      versions.add((JSON.parse(made.body) as { v: unknown }).v);
      shown += 1;
    }
  }
  t.diagnostic(`${shown} attempts shown, ${twice} sent before the kill and not settled`);
  assert.deepEqual(versions, new Set([1, 2]));
});
