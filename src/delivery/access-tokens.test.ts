/** The bound of what a node holds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestTo } from "../../test/kit/world/sender.ts";
import { systemClock } from "../lib/clock.ts";
import { AccessTokens } from "./access-tokens.ts";

const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
const body = Buffer.from('{"access_token":"abc"}');
const outcome = { kind: "response", response: { status: 200, headers: {}, body, bodyCut: false } } as const;

test("a node holds a bounded number of tokens, and those that were used last", async () => {
  const tokens = new AccessTokens({ send: async () => ({ outcome, timings, address: null }), clock: systemClock });
  const oauth = {
    tokenUrl: "https://login.example.com/token",
    clientId: "a",
    clientSecret: "b",
    scope: "",
    audience: "",
    clientAuthentication: "basic",
  } as const;
  const wanted = (lane: string) => ({
    oauth,
    request: requestTo("https://hook.test/", { lane }),
    mayStart: () => true,
  });
  await tokens.fetch(wanted("first"));
  for (let number = 0; number < 5_000; number += 1) {
    await tokens.fetch(wanted(`dst_${number}`));
    assert.ok(tokens.find(wanted("first")) !== null);
  }
  assert.equal(tokens.count(), 4_096);
  assert.equal(tokens.find(wanted("dst_0")), null);
});
