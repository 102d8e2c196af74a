import assert from "node:assert/strict";
import { test } from "node:test";
import { hoursMs } from "../lib/duration.ts";
import { createSealer } from "../lib/seal.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { START_MS } from "../../test/kit/world/virtual-clock.ts";
import { openSecrets, secretContext, secretsAt } from "./secrets.ts";

const sealer = createSealer(new Uint8Array(32).fill(1), createSeededRandom(1));
const sealed = (secret: string, accountId = "a") => sealer.seal(secret, secretContext(accountId));

const CURRENT = { sealed: sealed("whsec_current"), createdAtMs: START_MS };
const SWITCH_MS = START_MS + hoursMs(24);
const NEXT = { sealed: sealed("whsec_next"), createdAtMs: START_MS, becomesCurrentAtMs: SWITCH_MS };

test("one secret signs everything while none is being rotated in", () => {
  const secrets = openSecrets({ current: CURRENT, next: null }, sealer, "a");
  assert.deepEqual(secretsAt(secrets, START_MS), ["whsec_current"]);
  assert.deepEqual(secretsAt(secrets, START_MS + hoursMs(1_000)), ["whsec_current"]);
});

test("the current one comes first until the very instant of the switch, and then the next one is alone", () => {
  const secrets = openSecrets({ current: CURRENT, next: NEXT }, sealer, "a");
  assert.deepEqual(secretsAt(secrets, START_MS), ["whsec_current", "whsec_next"]);
  assert.deepEqual(secretsAt(secrets, SWITCH_MS - 1), ["whsec_current", "whsec_next"]);
  assert.deepEqual(secretsAt(secrets, SWITCH_MS), ["whsec_next"]);
});

test("the same list is given each time, so that the keys made of it are used again", () => {
  const secrets = openSecrets({ current: CURRENT, next: NEXT }, sealer, "a");
  assert.equal(secretsAt(secrets, START_MS), secretsAt(secrets, START_MS + 1));
  assert.equal(secretsAt(secrets, SWITCH_MS), secretsAt(secrets, SWITCH_MS + 1));
});

test("what was sealed as the next one opens as the current one, and in no other account", () => {
  const moved = { current: { sealed: NEXT.sealed, createdAtMs: START_MS }, next: null };
  assert.equal(openSecrets(moved, sealer, "a").current.secret, "whsec_next");
  assert.throws(() => openSecrets(moved, sealer, "b"), /copied from another place/);
});
