/** Jane's webhook did not arrive: how many clicks it takes to know why, and to send all that waited. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { WAITING, walkJane } from "../../test/kit/browser/jane-walk.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStage } from "../../test/kit/browser/stage.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";

for (const store of ["sqlite", "postgres"] as const) {
  test(`on ${store}, four clicks from “Jane’s webhook did not arrive” to its cause, one to all delivered`, async () => {
    await using receiver = await startReceiver();
    await using stage = await setStage({ store });
    const { toCause, toDelivered } = await walkJane(stage, receiver, assertSound);
    assert.equal(toCause.clicks, 4);
    assert.equal(toDelivered.clicks, 1);
    const delivered = findRequests(receiver, "/crm").slice(-WAITING);
    assert.equal(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size, WAITING);
  });
}
