/** Long answers to the page are compressed for callers that take it, and mean the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";

test("a long answer is compressed for a caller that takes it, and a short one never", async () => {
  await using service = await createTestApp();
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const { cookie } = await signIn(service.app, { accountId: "acme" });
  const ask = async (url: string, accepted: string) =>
    await service.app.server.inject({ method: "GET", url, headers: { cookie, "accept-encoding": accepted } });
  const plain = await ask("/dashboard/session", "identity");
  assert.equal(plain.headers["content-encoding"], undefined);
  for (const [accepted, encoding, decode] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
  ] as const) {
    const { headers, rawPayload } = await ask("/dashboard/session", accepted);
    assert.deepEqual([headers["content-encoding"], headers["vary"]], [encoding, "cookie, accept-encoding"]);
    assert.deepEqual(decode(rawPayload), plain.rawPayload);
    assert.ok(rawPayload.length < 0.75 * plain.rawPayload.length);
  }
  const short = await ask("/dashboard/destinations", "gzip, deflate, br");
  assert.deepEqual([short.headers["content-encoding"], short.json()], [undefined, { destinations: [] }]);
});
