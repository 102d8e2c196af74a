/**
 * The corpus: URLs in every spelling that a guard has been passed by with, asked at save and at connect. Each entry of
 * `corpus.json` is `{ input, expected: "refused" | "allowed", why }`; add one by adding a line.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { test } from "node:test";
import { scriptedDns } from "../../test/scripted-dns.ts";
import { systemClock } from "../lib/clock.ts";
import { createAddressPolicy } from "./address-policy.ts";
import { NotConnected } from "./connect-outcome.ts";
import { createEgressGuard } from "./guard.ts";
import { createResolver } from "./resolver.ts";
import { parseWebhookUrl } from "./webhook-url.ts";

interface Entry {
  readonly input: string;
  readonly expected: "refused" | "allowed";
  readonly why: string;
}

const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Entry[];

/** Every name that could be asked for is public here, so that a refusal can only come from the spelling. */
const zone = Object.fromEntries(
  ["example.com", "127.0.0.1.example.com", "localhost.example.com"].map((name) => [name, ["93.184.216.34"]]),
);
const resolver = createResolver({ clock: systemClock, dns: scriptedDns(zone) });
const policy = createAddressPolicy({ allow: [], ownAddresses: () => [] });
const guard = createEgressGuard({ policy, resolver });

/** `null`, or why the URL cannot be saved. */
async function refusalAtSave(input: string): Promise<string | null> {
  const url = parseWebhookUrl(input);
  return url.ok ? await guard.checkUrl(url.value) : url.error;
}

function connect(url: URL): Promise<Socket | Error> {
  const { hostname, port, protocol } = url;
  return new Promise((resolve) => {
    guard.connector({ clock: systemClock, deadlineMs: 1_000 })({ hostname, port, protocol }, (error, socket) =>
      resolve(error ?? socket ?? new Error("neither a socket nor an error")),
    );
  });
}

for (const { input, expected, why } of corpus) {
  test(`corpus: ${JSON.stringify(input)} is ${expected}: ${why}`, async () => {
    const refusal = await refusalAtSave(input);
    assert.equal(refusal === null ? "allowed" : "refused", expected, refusal ?? "nothing objected");
    // Connects whatever can be made a URL at all, as if save had not looked. Public addresses are not called by tests.
    const url = URL.parse(input.trim());
    if (expected === "allowed" || url === null || !url.protocol.startsWith("http")) return;
    if (url.hostname === "example.com") return;
    const result = await connect(url);
    assert.ok(result instanceof NotConnected, "a socket was opened");
    assert.equal(result.outcome.kind, "blocked", result.message);
  });
}

test("the corpus has no entry twice and at least eighty refusals", () => {
  assert.equal(new Set(corpus.map(({ input }) => input)).size, corpus.length);
  assert.ok(corpus.filter(({ expected }) => expected === "refused").length >= 80);
  assert.ok(corpus.every(({ why }) => why.length > 0));
});
