import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerWords, recordWords } from "./uses.ts";

test("pages name what an account uses, and nothing else", () => {
  const words = (demos: boolean, chats: boolean, hasWebhooks: boolean) => {
    const used = { uses: { demos, chats }, hasWebhooks };
    return `${recordWords(used)} | ${ownerWords(used)}`;
  };
  assert.deepEqual(
    [words(true, true, false), words(true, true, true), words(false, true, true), words(false, false, true)],
    [
      "session or conversation | alert or assistant",
      "session, conversation or event | alert, assistant or webhook",
      "conversation or event | assistant or webhook",
      "event | webhook",
    ],
  );
});
