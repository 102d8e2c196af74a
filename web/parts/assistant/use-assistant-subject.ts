/** A chat assistant's webhook as the editor takes it, with the sample that a test sends unless it is edited. */
import { useQueryClient } from "@tanstack/react-query";
import type { AssistantDetail, SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { refresh, useSession } from "../../query.ts";
import {
  checkConditions,
  conditionsField,
  type ConditionsDraft,
  sendsConditions,
  toConditionsDraft,
  toConditionsForm,
} from "../conditions/draft.ts";
import { type WebhookDraft, toDraft, toForm, sends } from "../webhook/draft.ts";
import { propertyField } from "../form-fields.ts";
import { listWebhookParts } from "../webhook/webhook-parts.ts";
import { findJsonMistake } from "./json-check.ts";
import { checkDraft } from "../webhook/refusals.ts";
import type { Editor, EditorSubject } from "../editor/use-editor.ts";

export interface AssistantState {
  readonly webhook: WebhookDraft;
  readonly conditions: ConditionsDraft;
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
  const put = async (state: AssistantState | null, ifMatch: number): Promise<SavedAnswer> => {
    const body =
      state === null
        ? { webhook: null }
        : { webhook: toForm(state.webhook).form, conditions: toConditionsForm(state.conditions) };
    const answer = await call("PUT /assistants/:id/webhook", { params, body, ifMatch });
    await refresh(client, ["GET /assistants", "GET /destinations", "GET /event-types/:type"]);
    return answer;
  };
  return {
    toState: (saved, before) => ({
      webhook: toDraft(saved?.webhook ?? null),
      conditions: toConditionsDraft(saved?.conditions ?? null),
      body: before?.body ?? null,
    }),
    withWebhook: (state, webhook) => ({ ...state, webhook }),
    // The sample is only for tests; Save has nothing to do with it.
    sends: ({ webhook, conditions }) => JSON.stringify([sends(webhook), sendsConditions(conditions)]),
    listFields: (drafts) => [
      ...listWebhookParts(drafts),
      propertyField<AssistantState, "conditions">("conditions", "Conditions", conditionsField),
    ],
    testSends: ({ webhook, body }) => JSON.stringify([sends(webhook), body]),
    findErrors({ webhook, conditions, body }) {
      const sent = checkDraft(webhook, limits);
      const mistake = body === null ? null : findJsonMistake(body);
      const save = { ...sent, ...checkConditions(conditions) };
      return { save, test: mistake === null ? sent : { ...sent, body: mistake } };
    },
    write: (state, saved, revision) => put(state, revision ?? saved?.revision ?? 0),
    read,
    async remove(saved, ifMatch) {
      const { revision } = await put(null, ifMatch);
      await refresh(client, ["GET /assistants/:id"]);
      // The result is known without reading it, so a failed read does not make somebody remove it twice.
      return { ...saved, webhook: null, conditions: null, destination: null, revision };
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
