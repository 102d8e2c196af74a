/** Which kinds an account uses: everything until its own types are clearly all there is, and what is there then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { putAccount, putChatAssistant } from "../../accounts/put-account.ts";
import { makeAccount, makeAlertForm } from "../../../test/kit/make.ts";
import { type Answers, createAnswers, OTHER_ACCOUNT } from "../../../test/kit/world/answers.ts";
import { createWebhook } from "../../../test/kit/world/alerts.ts";
import { conversation, session, toValue } from "../../../test/kit/world/world.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";

const types = createEventTypes([toDeclaration({ type: "order.paid" })]);
const ACCOUNT = "own-types";
const who = { accountId: ACCOUNT };
const BOTH = { demos: true, chats: true };
const NONE = { demos: false, chats: false };

const uses = async (answers: Answers, accountId = ACCOUNT) =>
  toValue(await answers.call("GET /session", {}, { accountId })).uses;

/** No chat assistant is known there. */
async function open(options: { readonly types?: typeof types } = { types }): Promise<Answers> {
  const answers = await createAnswers(options);
  await putAccount(answers.app.accounts, makeAccount({ id: ACCOUNT }));
  return answers;
}

const addWebhook = async (answers: Answers, events: readonly { readonly type: string }[] | "all" = "all") =>
  await createWebhook(answers.app.accounts, { accountId: ACCOUNT, url: "http://127.0.0.1:9/in", events });

test("an account shows all kinds until it has a webhook beside declared types", async () => {
  await using plain = await open({});
  await addWebhook(plain);
  assert.deepEqual(await uses(plain), BOTH);
  await using declared = await open();
  assert.deepEqual(await uses(declared), BOTH);
  await addWebhook(declared);
  assert.deepEqual([await uses(declared), await uses(declared, OTHER_ACCOUNT)], [NONE, BOTH]);
});

const SIGNS: Readonly<Record<string, [does: (answers: Answers) => Promise<unknown>, uses: typeof NONE]>> = {
  "an alert, also without a URL": [
    (answers) => answers.call("POST /alerts", { body: makeAlertForm({ webhooksOn: false, webhook: null }) }, who),
    { demos: true, chats: false },
  ],
  "a chat assistant": [
    (answers) => putChatAssistant(answers.app.accounts, ACCOUNT, { id: "bot", name: "Bot" }),
    { demos: false, chats: true },
  ],
  "a session": [(answers) => answers.ctx.accept(ACCOUNT, [session(1)]), { demos: true, chats: false }],
  "a conversation, which makes its assistant": [
    (answers) => answers.ctx.accept(ACCOUNT, [conversation(2)]),
    { demos: false, chats: true },
  ],
  "a webhook that names the type": [
    (answers) => addWebhook(answers, [{ type: "demo_viewed" }]),
    { demos: true, chats: false },
  ],
};

for (const [what, [does, expected]] of Object.entries(SIGNS)) {
  test(`${what} is a sign that its kind is used`, async () => {
    await using answers = await open();
    await addWebhook(answers, [{ type: "order.paid" }]);
    assert.deepEqual(await uses(answers), NONE);
    await does(answers);
    assert.deepEqual(await uses(answers), expected);
  });
}
