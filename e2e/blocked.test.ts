import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { putAccount } from "../src/accounts/put-account.ts";
import { saveAlert } from "../src/accounts/save-alert.ts";
import { makeAccount } from "../test/kit/make.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { toAlertDraft } from "../test/kit/world/alerts.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, startService } from "../test/kit/process/running.ts";

/** Listens where no service may call, and counts calls. */
async function startCanary() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"));
  });
  // On every address of this machine, so that a connection by any of its names is seen.
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Loopback as an address and as a name, and the address where clouds keep a machine's credentials. */
const forbiddenUrls = (port: number) => [
  `http://127.0.0.1:${port}/in`,
  `http://localhost:${port}/in`,
  "http://169.254.169.254/latest/meta-data/",
];

test("private addresses are refused when they are saved, and who may open them is said without a setting", async () => {
  using folder = newFolder();
  await using canary = await startCanary();
  await using app = await openApp({ dataDir: `${folder.path}/data`, egressAllow: "" });
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT }));
  for (const url of forbiddenUrls(canary.port)) {
    const saved = await saveAlert(app.accounts, toAlertDraft({ accountId: ACCOUNT, url }));
    assert.equal(saved.ok ? "saved" : saved.error.code, "invalid_webhook_url", url);
    const message = saved.ok ? "" : (saved.error.errors?.[0]?.message ?? "");
    assert.match(message, /people who run this service to allow it/, url);
    assert.doesNotMatch(message, /BELLWIRE_/, url);
  }
  assert.equal(canary.connections(), 0);
});

test("addresses that were saved while allowed are blocked at connect once they are not", async (t) => {
  using folder = newFolder();
  await using canary = await startCanary();
  const dataDir = `${folder.path}/data`;
  const egressAllow = "127.0.0.0/8,::1,169.254.169.254";
  const urls = forbiddenUrls(canary.port);
  await setUpAccount({ dataDir, egressAllow, alerts: urls.map((url) => ({ url })) });

  // The canary must be able to sing: with the allowance, the same destinations reach it.
  await using open = await startService({ dataDir, env: { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8,::1" } });
  await open.post("demo-sessions", sessionRecord(randomUUID()));
  const origins = urls.map((url) => new URL(url).origin);
  await Promise.all(origins.map((origin) => open.child.out.match(attemptAt(origin))));
  assert.equal(canary.connections(), 2);
  await open.stop();

  await using closed = await startService({ dataDir, env: { BELLWIRE_EGRESS_ALLOW: "" } });
  const { json } = await closed.post("demo-sessions", sessionRecord(randomUUID()));
  assert.equal(json["deliveries"], 3);
  for (const origin of origins) {
    const [line] = await closed.child.out.match(attemptAt(origin));
    const attempt = JSON.parse(line) as Record<string, unknown>;
    assert.equal(attempt["outcome"], "blocked", line);
    assert.equal(attempt["verdict"], "retry", line);
    assert.equal(attempt["address"], null, line);
    assert.equal(attempt["setting"], "BELLWIRE_EGRESS_ALLOW", line);
    t.diagnostic(String(attempt["error"]));
  }
  assert.equal(canary.connections(), 2);
});

/** A whole line of the log, which is found by its origin. */
const attemptAt = (origin: string) =>
  new RegExp(`^.*"origin":"${origin.replaceAll(".", "\\.")}".*delivery\\.attempted.*$`);
