/** One word of 200 characters wherever people or records give words: no page is wider than its window. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAccount } from "../../test/kit/make.ts";
import { findOverflows, findRoomless } from "../../test/kit/browser/axe.ts";
import { settled } from "../../test/kit/browser/page-facts.ts";
import { populate } from "../../test/kit/browser/populated.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { untilInLog } from "../../test/kit/browser/webhooks.ts";
import { createAlert, createWebhook, giveWebhook } from "../../test/kit/world/alerts.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { putAccount, putChatAssistant } from "../../src/accounts/put-account.ts";

const { stage, receiver } = await setStageWithReceiver({ env: { BELLWIRE_PLAYGROUND: "1" } });

const WORDS = {
  latin: "Donaudampfschifffahrtsgesellschaft".repeat(6).slice(0, 200),
  arabic: "المستشفياتوالاستقلالية".repeat(10).slice(0, 200),
  emoji: "👩‍🚀".repeat(40),
};

const lead = (word: string) => ({
  id: "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21",
  first_name: word,
  last_name: word,
  email: `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.example`,
  client_source: "website",
  lead_source: "demo_form",
});

const visitor = (word: string) => ({
  lead: lead(word),
  buyer_reveal: { company_name: word, company_domain: `${"d".repeat(60)}.example`, company_employee_range: "51 - 200" },
  location: { city: word, country: word },
  intent_level: "high",
  cta_opened: `https://example.com/${"x".repeat(200)}`,
});

const session = (word: string) => ({
  ...visitor(word),
  name: word,
  link_name: word,
  referers: [`https://example.com/${"y".repeat(200)}`],
  utm_params: { utm_source: word, ["z".repeat(60)]: word },
});

const conversation = (word: string) => ({
  ...visitor(word),
  messages: [
    { role: "assistant", text: word },
    { role: "user", text: word },
  ],
  conversation_summary: word,
  topics: [word],
  extracted_variables: { ["v".repeat(60)]: word, other: word },
});

/** An account that has the word everywhere, and the addresses of all pages that show something of it. */
async function plant(accountId: string, word: string): Promise<readonly string[]> {
  const { dashboard } = stage;
  const { accounts } = dashboard.app;
  const { paths } = await populate(dashboard, receiver, { accountId });
  const usual = receiver.script;
  const isLong = (path: string) => path.length > 100;
  receiver.script = (request) =>
    isLong(request.path)
      ? { status: 500, body: "e".repeat(2_000), headers: { [`x-${"r".repeat(100)}`]: "s".repeat(300) } }
      : typeof usual === "function"
        ? usual(request)
        : usual;
  const path = "/" + "p".repeat(200);
  const headers = [{ name: `x-${"h".repeat(120)}`, value: "w".repeat(300), secret: false }];
  const assistantId = "a".repeat(60);
  await putAccount(accounts, makeAccount({ id: accountId, name: word }));
  const alert = await createAlert(accounts, { accountId, name: word, url: `${receiver.url}${path}`, headers });
  const tags = ["first", word.slice(0, 40), "last", "eu", "crm"];
  const events = [{ type: "demo_viewed" }];
  await createWebhook(accounts, { accountId, name: word, url: `${receiver.url}${path}`, events, tags });
  await putChatAssistant(accounts, accountId, { id: assistantId, name: word });
  await giveWebhook(accounts, { accountId, assistantId, url: `${receiver.url}${path}`, headers });
  const earlier = receiver.requests.length;
  await dashboard.postSession(201, session(word), accountId);
  await dashboard.postConversation(202, { ...conversation(word), assistant_id: assistantId }, accountId);
  await receiver.received(earlier + 3);
  await untilInLog(dashboard, accountId, { status: "delivered", count: 10 });
  const { deliveries } = await dashboard.app.store.listDeliveries({
    accountId,
    withTests: true,
    before: null,
    limit: 9,
  });
  return [
    ...paths,
    `/audience/sessions/${uuid(201)}`,
    `/assistants/${assistantId}`,
    `/assistants/${assistantId}/conversations/${uuid(202)}`,
    `/assistants/${assistantId}/integrations`,
    "/events/chat_conversation_completed",
    "/settings/webhooks",
    `/settings/alerts/${alert.id}`,
    `/settings/alerts/${alert.id}/edit`,
    `/deliveries?q=demo${word.slice(0, 60)}`,
    ...deliveries.filter(({ eventId }) => eventId !== "").map(({ id }) => `/deliveries/${id}`),
  ];
}

describe("a word of 200 characters stays inside the window, in every field and on every page", () => {
  for (const [script, word] of Object.entries(WORDS)) {
    test(script, async () => {
      const accountId = `long-${script}`;
      const paths = await plant(accountId, word);
      const person = `${"m".repeat(60)}@${"n".repeat(60)}.example`;
      await using visit = await stage.open("/", { accountId, person });
      const { page } = visit;
      const faults: string[] = [];
      for (const path of paths) {
        await page.goto(`${stage.dashboard.url}${path}`);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        for (const width of [320, 390, 768]) {
          await page.setViewportSize({ width, height: 900 });
          await settled(page);
          const found = [...(await findOverflows(page)), ...(await findRoomless(page))];
          faults.push(...found.map((fault) => `${path} at ${width}: ${fault}`));
        }
      }
      assert.deepEqual(faults, []);
    });
  }
});
