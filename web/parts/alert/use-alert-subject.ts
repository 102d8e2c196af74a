/** A demo alert as the editor (parts/editor/use-editor.ts) takes it. */
import type { AlertDetail } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { useSession } from "../../query.ts";
import type { FieldErrors } from "../field-errors.ts";
import { checkConditions } from "../conditions/draft.ts";
import { toForm, sends } from "../webhook/draft.ts";
import { ALERT, useOwnerChanges } from "../owner/owner-calls.ts";
import { checkDraft } from "../webhook/refusals.ts";
import type { Editor, EditorSubject } from "../editor/use-editor.ts";
import { type AlertState, sendsAlert, toBody, toState } from "./alert-state.ts";

export type AlertEditor = Editor<AlertDetail, AlertState>;

/** `onCreated` gets the id of an alert that was saved for the first time. */
export function useAlertSubject(onCreated: (id: string) => void): EditorSubject<AlertDetail, AlertState> {
  const { limits, alertWebhooksGate } = useSession();
  const isGated = alertWebhooksGate !== null;
  const { read, write } = useOwnerChanges(ALERT, onCreated);
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
    write: (state, saved, revision) => write(toBody(state, saved, isGated), saved, revision),
    read,
    test: async ({ webhook }, saved) =>
      await call("POST /alerts/:id/test", {
        params: { id: saved?.id ?? "new" },
        body: { webhook: toForm(webhook).form },
      }),
  };
}

const NAMELESS: FieldErrors = { name: "Give the alert a name." };
