import assert from "node:assert/strict";
import { test } from "node:test";
import { hoursMs } from "../lib/duration.ts";
import { createSealer } from "../lib/seal.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { START_MS } from "../../test/kit/world/virtual-clock.ts";
import { openSecrets, previousAt, secretContext, secretsAt } from "./secrets.ts";

const sealer = createSealer(new Uint8Array(32).fill(1), createSeededRandom(1));
const sealed = (secret: string, accountId = "a") => sealer.seal(secret, secretContext(accountId));
const sealedKey = (key: string) => sealer.seal(key, secretContext("a", "key"));

const STOPS_MS = START_MS + hoursMs(24);
const CURRENT = { sealed: sealed("whsec_current"), createdAtMs: START_MS };
const PREVIOUS = { sealed: sealed("whsec_previous"), createdAtMs: START_MS, stopsAtMs: STOPS_MS };
const NO_KEY = { signingKey: null };

test("one secret signs everything while none is being rotated", () => {
  const secrets = openSecrets({ current: CURRENT, previous: null, ...NO_KEY }, sealer, "a");
  assert.deepEqual(secretsAt(secrets, START_MS), ["whsec_current"]);
  assert.deepEqual(secretsAt(secrets, START_MS + hoursMs(1_000)), ["whsec_current"]);
});

test("the previous one comes first until the very instant at which it stops, and then the current one is alone", () => {
  const secrets = openSecrets({ current: CURRENT, previous: PREVIOUS, ...NO_KEY }, sealer, "a");
  assert.deepEqual(secretsAt(secrets, START_MS), ["whsec_previous", "whsec_current"]);
  assert.deepEqual(secretsAt(secrets, STOPS_MS - 1), ["whsec_previous", "whsec_current"]);
  assert.equal(previousAt(secrets, STOPS_MS - 1)?.secret, "whsec_previous");
  assert.deepEqual(secretsAt(secrets, STOPS_MS), ["whsec_current"]);
  assert.equal(previousAt(secrets, STOPS_MS), null);
});

test("keys stand behind the secrets, and each of the two stops at its own instant", () => {
  const later = STOPS_MS + hoursMs(1);
  const signingKey = {
    current: { sealed: sealedKey("whsk_current"), createdAtMs: START_MS },
    previous: { sealed: sealedKey("whsk_previous"), createdAtMs: START_MS, stopsAtMs: later },
  };
  const secrets = openSecrets({ current: CURRENT, previous: PREVIOUS, signingKey }, sealer, "a");
  const both = ["whsk_previous", "whsk_current"];
  assert.deepEqual(secretsAt(secrets, STOPS_MS - 1), ["whsec_previous", "whsec_current", ...both]);
  assert.deepEqual(secretsAt(secrets, STOPS_MS), ["whsec_current", ...both]);
  assert.deepEqual(secretsAt(secrets, later), ["whsec_current", "whsk_current"]);
});

test("the same list is given each time, so that the keys made of it are used again", () => {
  const secrets = openSecrets({ current: CURRENT, previous: PREVIOUS, ...NO_KEY }, sealer, "a");
  assert.equal(secretsAt(secrets, START_MS), secretsAt(secrets, START_MS + 1));
  assert.equal(secretsAt(secrets, STOPS_MS), secretsAt(secrets, STOPS_MS + 1));
});

test("what was sealed as the current one opens as the previous one, in no other account, and not as a key", () => {
  const open = (accountId: string, parts = {}) =>
    openSecrets({ current: CURRENT, previous: { ...CURRENT, stopsAtMs: 0 }, ...NO_KEY, ...parts }, sealer, accountId);
  assert.equal(open("a").previous?.secret, "whsec_current");
  assert.throws(() => open("b"), /copied from another place/);
  assert.throws(() => open("a", { signingKey: { current: CURRENT, previous: null } }), /copied from another place/);
});
