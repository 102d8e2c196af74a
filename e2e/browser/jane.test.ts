import assert from "node:assert/strict";
import { test } from "node:test";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { WAITING, walkJane } from "../../test/kit/browser/jane-walk.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";

const { stage, receiver } = await setStageWithReceiver();

test("from “Jane’s webhook did not arrive” to the cause in four clicks, and one click sends all that waited", async () => {
  const { toCause, toDelivered } = await walkJane(stage, receiver, assertSound);
  assert.equal(toCause.clicks, 4);
  assert.equal(toDelivered.clicks, 1);
  const delivered = findRequests(receiver, "/crm").slice(-WAITING);
  assert.equal(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size, WAITING);
});
