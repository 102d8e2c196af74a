/**
 * `BELLWIRE_HTTPS_ONLY` on an installation that has http: webhooks already: what is saved, tested, sent and waits. The
 * program is started three times on one database, as an operator would who tries the setting and takes it away again.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { secondsMs } from "../../lib/duration.ts";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { type Answers, createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { signIn } from "../../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";

const KEYS = { encryptionKey: new Uint8Array(32).fill(3), apiKeys: ["an-intake-key-of-ours"], madeFiles: [] };
const NEW = { params: { id: "new" } };

const toWebhook = (url: string) => makeWebhookForm({ url });
const alert = (url: string) => makeAlertForm({ webhook: toWebhook(url) });

test("an http: URL that was saved before is called no more, what waits for it waits, and goes out again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-https-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using receiver = await startReceiver();
  const url = `${receiver.url}/in`;
  const database = `sqlite:${join(folder, "b.db")}`;
  const clock = createVirtualClock();
  const start = (httpsOnly: "0" | "1"): Promise<Answers> =>
    createAnswers({ clock, keys: KEYS, env: { BELLWIRE_DATABASE: database, BELLWIRE_HTTPS_ONLY: httpsOnly } });
  const only = async (answers: Answers) => {
    const [delivery] = toValue(await answers.call("GET /deliveries")).deliveries;
    return toValue(await answers.call("GET /deliveries/:id", { params: { id: delivery?.id ?? "" } }));
  };
  {
    await using before = await start("0");
    toValue(await before.call("POST /alerts", { body: alert(url) }));
  }
  {
    await using closed = await start("1");
    toValue(await closed.accept(session(1)));
    await closed.run();
    const { status, nextAttemptAtMs, attempts } = await only(closed);
    assert.deepEqual(
      [status, attempts[0]?.outcome.class, attempts[0]?.outcome.status],
      ["retrying", "blocked", "Not https"],
    );
    assert.match(attempts[0]?.outcome.sentence ?? "", /must start with https: here; the people who run this service/);
    assert.ok(nextAttemptAtMs !== null, "it is tried again");
    const tested = toValue(await closed.call("POST /alerts/:id/test", { ...NEW, body: { webhook: toWebhook(url) } }));
    assert.equal(tested.outcome.status, "Not https");
    const saved = await closed.call("POST /alerts", { body: alert(url) });
    assert.deepEqual([toProblem(saved).code, listPaths(saved)], ["invalid_webhook_url", ["webhook.url"]]);
    assert.equal(receiver.connectionCount(), 0);
    toValue(await closed.call("POST /alerts", { body: alert(`https://127.0.0.1:${receiver.port}/in`) }));
  }
  await using after = await start("0");
  await clock.advance(secondsMs(10));
  await after.run();
  assert.equal((await only(after)).status, "delivered");
  assert.equal(receiver.requests.length, 1);
});

test("the form knows that https alone is taken", async () => {
  for (const [text, httpsOnly] of [
    ["0", false],
    ["1", true],
  ] as const) {
    await using running = await createTestApp({ BELLWIRE_HTTPS_ONLY: text });
    await running.put("/v1/accounts/acct-1", { name: "A", plan: "starter", app_url: "https://app.example.com" });
    const ana = await signIn(running.app, { accountId: "acct-1" });
    assert.equal(ana.session.limits.httpsOnly, httpsOnly);
  }
});
