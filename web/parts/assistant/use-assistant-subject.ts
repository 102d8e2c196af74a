/** A chat assistant's webhook as the editor takes it, with the sample that a test sends unless it is edited. */
import { useQueryClient } from "@tanstack/react-query";
import type { AssistantDetail, SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { refresh } from "../../query.ts";
import { useSession } from "../../session.ts";
import { type WebhookDraft, toDraft, toForm, sends } from "../webhook/draft.ts";
import { findJsonMistake } from "./json-check.ts";
import { checkDraft } from "../webhook/refusals.ts";
import type { Editor, EditorSubject } from "../editor/use-editor.ts";

export interface AssistantState {
  readonly webhook: WebhookDraft;
  /** The body as edited; `null` is the sample. */
  readonly body: string | null;
}

export type AssistantEditor = Editor<AssistantDetail, AssistantState>;

interface AssistantSubject extends EditorSubject<AssistantDetail, AssistantState> {
  /** Takes the webhook away; resolves to what is left. */
  readonly remove: (saved: AssistantDetail, revision: number) => Promise<AssistantDetail>;
}

export function useAssistantSubject(id: string): AssistantSubject {
  const { limits } = useSession();
  const client = useQueryClient();
  const params = { id };
  const read = async (): Promise<AssistantDetail> => {
    const detail = await call("GET /assistants/:id", { params });
    client.setQueryData(["GET /assistants/:id", { params }], detail);
    return detail;
  };
  const put = async (webhook: WebhookDraft | null, ifMatch: number): Promise<SavedAnswer> => {
    const form = webhook === null ? null : toForm(webhook).form;
    const answer = await call("PUT /assistants/:id/webhook", { params, body: { webhook: form }, ifMatch });
    await refresh(client, ["GET /assistants", "GET /destinations", "GET /event-types"]);
    return answer;
  };
  return {
    toState: (saved, before) => ({ webhook: toDraft(saved?.webhook ?? null), body: before?.body ?? null }),
    getWebhook: ({ webhook }) => webhook,
    withWebhook: (state, webhook) => ({ ...state, webhook }),
    // The sample is only for tests; Save has nothing to do with it.
    sends: ({ webhook }) => sends(webhook),
    testSends: ({ webhook, body }) => JSON.stringify([sends(webhook), body]),
    findErrors({ webhook, body }) {
      const save = checkDraft(webhook, limits);
      const mistake = body === null ? null : findJsonMistake(body);
      return { save, test: mistake === null ? save : { ...save, body: mistake } };
    },
    write: ({ webhook }, saved, revision) => put(webhook, revision ?? saved?.revision ?? 0),
    read,
    async remove(saved, ifMatch) {
      const { revision } = await put(null, ifMatch);
      await refresh(client, ["GET /assistants/:id"]);
      // The result is known without reading it, so a failed read does not make somebody remove it twice.
      return { ...saved, webhook: null, destination: null, revision };
    },
    test: ({ webhook, body }) => {
      const { form } = toForm(webhook);
      return call("POST /assistants/:id/test", {
        params,
        body: body === null ? { webhook: form } : { webhook: form, body },
      });
    },
  };
}
