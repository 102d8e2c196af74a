/**
 * White space that comes along when a Webhook URL is copied, by real calls: every character that Unicode calls white
 * space, and the byte order mark, which is invisible too. A test and a save go to the URL without it; inside the URL
 * it is refused, by field. Never a 500.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { putAccount } from "../../accounts/put-account.ts";
import { makeAccount, makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { type SignedIn, signIn } from "../../../test/kit/world/signed-in.ts";
import { APP_URL } from "../../../test/kit/world/world.ts";
import type { SavedAnswer, TestAnswer } from "../contract/alerts.ts";

/** The 25 of Unicode's `White_Space`, asked of the engine's own tables, and U+FEFF. */
const SPACES = [
  ...Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((c) => /\p{White_Space}/u.test(c)),
  "\uFEFF",
];

const toName = (space: string) => `U+${space.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

describe("white space of every kind around a Webhook URL", () => {
  let running: Awaited<ReturnType<typeof createTestApp>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  before(async () => {
    running = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" });
    receiver = await startReceiver();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  /** An account of its own: tests are limited for each. */
  async function signInTo(id: string): Promise<SignedIn> {
    await putAccount(running.app.accounts, makeAccount({ id, appUrl: APP_URL }));
    return await signIn(running.app, { accountId: id });
  }
  const webhook = (url: string) => makeWebhookForm({ url });
  const alert = (url: string) => makeAlertForm({ webhook: webhook(url) });

  test("there are 25 of them and the byte order mark", () => assert.equal(SPACES.length, 26));

  for (const space of SPACES) {
    test(`${toName(space)} is left out by a test and by a save`, async () => {
      const ana = await signInTo(`around-${toName(space).slice(2).toLowerCase()}`);
      const url = `${receiver.url}/in`;
      for (const text of [`${space}${url}`, `${url}${space}`, `${space}${space}${url} ${space}`]) {
        const tested = await ana.call("POST /alerts/:id/test", {
          params: { id: "new" },
          body: { webhook: webhook(text) },
        });
        assert.equal(tested.status, 200, tested.text);
        const { request, outcome } = tested.answer as TestAnswer;
        assert.deepEqual([request.url, outcome.class], [url, "success"]);
      }
      const saved = await ana.call("POST /alerts", { body: alert(`${space}${url}${space}`) });
      assert.equal(saved.status, 200, saved.text);
      const { id } = saved.answer as SavedAnswer;
      const shown = await ana.call("GET /alerts/:id", { params: { id } });
      assert.equal((shown.answer as { destination: { url: string } }).destination.url, url);
    });

    test(`${toName(space)} inside the URL is refused by the field's name, by a test and by a save`, async () => {
      const ana = await signInTo(`inside-${toName(space).slice(2).toLowerCase()}`);
      const url = `${receiver.url}/i${space}n`;
      const tested = await ana.call("POST /alerts/:id/test", {
        params: { id: "new" },
        body: { webhook: webhook(url) },
      });
      const saved = await ana.call("POST /alerts", { body: alert(url) });
      for (const { status, answer, text } of [tested, saved]) {
        assert.equal(status, 422, text);
        const { errors } = answer as { errors: { path: string; message: string }[] };
        assert.deepEqual(
          errors.map(({ path }) => path),
          ["webhook.url"],
        );
        assert.match(
          errors[0]?.message ?? "",
          " \u0085".includes(space) ? /white space/ : new RegExp(`\\(${RegExp.escape(toName(space))}\\)`),
        );
      }
    });
  }
});
