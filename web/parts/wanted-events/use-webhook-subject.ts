/** A webhook of its own as the editor (parts/editor/use-editor.ts) takes it. */
import type { WebhookDetail } from "../../../src/dashboard/contract/webhooks.ts";
import { call } from "../../api.ts";
import { useAnswerWhen, useSession } from "../../query.ts";
import type { EditorSubject } from "../editor/use-editor.ts";
import { useOwnerChanges, WEBHOOK } from "../owner/owner-calls.ts";
import type { OwnerEditor } from "../owner/owner-form.tsx";
import { proposeName } from "../owner/propose-name.ts";
import { sends, toForm } from "../webhook/draft.ts";
import { checkDraft } from "../webhook/refusals.ts";
import {
  checkWanted,
  listTestable,
  listWebhookFields,
  sendsWebhook,
  toBody,
  toState,
  type WebhookState,
} from "./webhook-state.ts";

export type WebhookEditor = OwnerEditor<WebhookDetail, WebhookState>;

/** `onCreated` gets the id of a webhook that was saved for the first time. */
export function useWebhookSubject(
  detail: WebhookDetail | null,
  onCreated: (id: string) => void,
): EditorSubject<WebhookDetail, WebhookState> {
  const { limits, eventTypes } = useSession();
  const { read, write } = useOwnerChanges(WEBHOOK, onCreated);
  const isNew = detail === null;
  const { data } = useAnswerWhen("GET /webhooks", isNew ? {} : null);
  const names = {
    label: WEBHOOK.label,
    taken: (data?.webhooks ?? []).map(({ name }) => name),
    charsMax: limits.webhookNameCharsMax,
  };
  return {
    toState,
    withWebhook: (state, webhook) => ({
      ...state,
      webhook,
      name: isNew ? proposeName(state.name, webhook.url, names) : state.name,
    }),
    sends: sendsWebhook,
    listFields: listWebhookFields,
    testSends: (state) => JSON.stringify([sends(state.webhook), findTested(state, eventTypes)]),
    findErrors(state) {
      const test = checkDraft(state.webhook, limits);
      const nameless = state.name.trim() === "" ? { name: "Give the webhook a name." } : {};
      return { test, save: { ...nameless, ...checkWanted(state), ...test } };
    },
    write: (state, saved, revision) => write(toBody(state), saved, revision),
    read,
    test: async (state, saved) =>
      await call("POST /webhooks/:id/test", {
        params: { id: saved?.id ?? "new" },
        body: { webhook: toForm(state.webhook).form, type: findTested(state, eventTypes) },
      }),
  };
}

/** The type that a test sends: the chosen one, while it is offered. */
export function findTested(state: WebhookState, types: Parameters<typeof listTestable>[1]): string {
  const offered = listTestable(state, types).map(({ type }) => type);
  return offered.find((type) => type === state.tested) ?? offered[0] ?? "";
}
