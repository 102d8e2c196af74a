/** A demo alert as the editor (parts/webhook/use-editor.ts) takes it. */
import { useQueryClient } from "@tanstack/react-query";
import type { AlertDetail } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { refresh, useSession } from "../../query.ts";
import type { FieldErrors } from "../field-errors.ts";
import { checkConditions } from "../conditions/draft.ts";
import { toForm, sends } from "../webhook/draft.ts";
import { checkDraft } from "../webhook/refusals.ts";
import type { Editor, EditorSubject } from "../editor/use-editor.ts";
import { type AlertState, sendsAlert, toBody, toState } from "./alert-state.ts";

export type AlertEditor = Editor<AlertDetail, AlertState>;

/** `onCreated` gets the id of an alert that was saved for the first time. */
export function useAlertSubject(onCreated: (id: string) => void): EditorSubject<AlertDetail, AlertState> {
  const { limits, alertWebhooksGate } = useSession();
  const client = useQueryClient();
  const isGated = alertWebhooksGate !== null;
  const read = async (id: string): Promise<AlertDetail> => {
    const detail = await call("GET /alerts/:id", { params: { id } });
    client.setQueryData(["GET /alerts/:id", { params: { id } }], detail);
    return detail;
  };
  return {
    toState,
    getWebhook: ({ webhook }) => webhook,
    withWebhook: (state, webhook) => ({ ...state, webhook }),
    sends: sendsAlert,
    testSends: ({ webhook }) => sends(webhook),
    findErrors({ name, conditions, webhooksOn, webhook }) {
      const test = webhooksOn && !isGated ? checkDraft(webhook, limits) : {};
      return { test, save: { ...(name.trim() === "" ? NAMELESS : {}), ...checkConditions(conditions), ...test } };
    },
    async write(state, saved, revision) {
      const body = toBody(state, saved, isGated);
      const isNew = saved === null || revision === null;
      const answer = isNew
        ? await call("POST /alerts", { body })
        : await call("PUT /alerts/:id", { params: { id: saved.id }, body, ifMatch: revision });
      await refresh(client, ["GET /alerts", "GET /destinations", "GET /event-types"]);
      if (isNew) onCreated(answer.id);
      return answer;
    },
    read,
    test: async ({ webhook }, saved) =>
      await call("POST /alerts/:id/test", {
        params: { id: saved?.id ?? "new" },
        body: { webhook: toForm(webhook).form },
      }),
  };
}

const NAMELESS: FieldErrors = { name: "Give the alert a name." };
