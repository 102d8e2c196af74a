/** Jane's webhook did not arrive: how many clicks it takes to know why, and to send all that waited. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { WAITING, walkJane } from "../../test/kit/browser/jane-walk.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";

const { stage, receiver } = await setStageWithReceiver();

test("four clicks from “Jane’s webhook did not arrive” to the cause, and one sends all that waited", async () => {
  const { toCause, toDelivered } = await walkJane(stage, receiver, assertSound);
  assert.equal(toCause.clicks, 4);
  assert.equal(toDelivered.clicks, 1);
  const delivered = findRequests(receiver, "/crm").slice(-WAITING);
  assert.equal(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size, WAITING);
});
