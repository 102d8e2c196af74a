/** What an agent may do besides reading, where managing is open and its key manages: each is a manage route. */
import Type from "typebox";
import { CLOSED } from "../../domain/form.ts";
import { createQueryReader } from "../../dashboard/call/operation.ts";
import { type Agent, type Tool, markAnswer, readTexts, showRefusal } from "../tools.ts";
import { manage } from "./handlers.ts";
import { assert } from "../../lib/assert.ts";
import type { ManageRouteName } from "./routes.ts";

interface Options {
  readonly title: string;
  readonly description: string;
  /** Of the id that it takes. */
  readonly of: string;
  /** A sentence of ours alone. */
  readonly sentence: string;
}

export const MANAGE_TOOLS: Readonly<Record<string, Tool>> = {
  send_again: makeTool("POST /v1/accounts/:account_id/deliveries/:delivery_id/resend", {
    title: "Send a delivery again",
    description: "Sends one that has ended again, and one that waits now. The receiver gets the same event once more.",
    of: "The delivery's id.",
    sentence: "It is on its way: show_delivery tells what becomes of it.",
  }),
  test_webhook: makeTool("POST /v1/accounts/:account_id/webhooks/:webhook_id/test", {
    title: "Send a test to a webhook",
    description: "Sends a sample now, with the settings that are saved, and says what came back.",
    of: "The webhook's id.",
    sentence: "`sentence` says what the test met, `advice` what to do. It has arrived only where `class` is success.",
  }),
};

function makeTool(name: ManageRouteName, { title, description, of, sentence }: Options): Tool {
  const input = Type.Object({ id: Type.String({ maxLength: 128, description: of }) }, CLOSED);
  const readArguments = createQueryReader(input);
  const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
  return {
    listed: { title, description, inputSchema: input, annotations },
    async call({ accountId, manages }: Agent, given) {
      const read = readTexts(readArguments, given);
      if (!read.ok) return showRefusal(read.error);
      assert(manages !== null, `${name} was called by a key that reads alone`);
      const { ctx, by } = manages;
      const { id } = read.value as { readonly id: string };
      const call = { caller: { accountId, by }, id, query: {}, body: undefined, seen: null };
      const done = await manage(ctx, name, call);
      if (!done.ok) return showRefusal(done.error);
      return markAnswer(sentence, done.value.answer);
    },
  };
}
