/** Jane's webhook did not arrive: how many clicks it takes to know why, and to send all that waited. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findFirefox } from "../../test/kit/browser/firefox.ts";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { WAITING, walkJane } from "../../test/kit/browser/jane-walk.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStage } from "../../test/kit/browser/stage.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";

const WAYS = [
  { store: "sqlite", engine: "chromium" },
  { store: "postgres", engine: "chromium" },
  { store: "sqlite", engine: "firefox" },
] as const;

for (const { store, engine } of WAYS) {
  const skip = engine === "firefox" && findFirefox() === null ? "this machine has no Firefox" : false;
  const name = `${store}, ${engine}: three clicks and a field to why Jane’s webhook did not arrive, one to the rest`;
  test(name, { skip }, async () => {
    await using receiver = await startReceiver();
    await using stage = await setStage({ store }, engine);
    const { toCause, toDelivered } = await walkJane(stage, receiver, assertSound);
    assert.ok(toCause.clicks <= 3 && toCause.fields === 1, JSON.stringify(toCause));
    assert.equal(toDelivered.clicks, 1);
    const delivered = findRequests(receiver, "/crm").slice(-WAITING);
    assert.equal(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size, WAITING);
  });
}
