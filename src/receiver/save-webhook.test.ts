/** Saved webhooks: exact bytes, names that stay in the folder, and no file overwritten. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { saveWebhook } from "./save-webhook.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellwire-save-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function webhook(id: string | null, body: Buffer = Buffer.from("{}")) {
  const headers = [["Host", "a"] as const, ...(id === null ? [] : [["Webhook-Id", id] as const])];
  return { body, headers, receivedAtMs: 0, verification: { valid: true, webhookId: id } as const };
}

test("keeps the exact bytes, and the headers beside them", () => {
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x7d]);
  assert.deepEqual(saveWebhook(folder, webhook("dlv_1", body)), { ok: true, value: join(folder, "dlv_1.json") });
  assert.deepEqual(readFileSync(join(folder, "dlv_1.json")), body);
  assert.equal(readFileSync(join(folder, "dlv_1.headers"), "utf8"), "Host: a\nWebhook-Id: dlv_1\n");
  assert.equal(statSync(join(folder, "dlv_1.json")).mode & 0o077, 0);
});

test("writes a repeat beside the first one", () => {
  saveWebhook(folder, webhook("dlv_1", Buffer.from("first")));
  saveWebhook(folder, webhook("dlv_1", Buffer.from("second")));
  assert.equal(readFileSync(join(folder, "dlv_1.json"), "utf8"), "first");
  assert.equal(readFileSync(join(folder, "dlv_1.2.json"), "utf8"), "second");
});

test("does not follow a name that leads elsewhere", () => {
  for (const id of ["../escaped", "a/b", "..", "", "a\0b", null, "x".repeat(300)]) {
    assert.equal(saveWebhook(folder, webhook(id)).ok, true, String(id));
  }
  assert.ok(readdirSync(folder).every((name) => name.startsWith("without-webhook-id")));
});

test("says what is wrong when it cannot write", () => {
  const missing = join(folder, "missing");
  assert.deepEqual(saveWebhook(missing, webhook("dlv_1")), {
    ok: false,
    error: `${join(missing, "dlv_1")} cannot be written (ENOENT)`,
  });
});
