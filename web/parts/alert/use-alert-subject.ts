/** A demo alert as the editor (parts/editor/use-editor.ts) takes it. */
import type { AlertDetail } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { useAnswerWhen, useSession } from "../../query.ts";
import type { FieldErrors } from "../field-errors.ts";
import { checkConditions } from "../conditions/draft.ts";
import { toForm, sends } from "../webhook/draft.ts";
import { ALERT, useOwnerChanges } from "../owner/owner-calls.ts";
import { proposeName } from "../owner/propose-name.ts";
import { checkDraft } from "../webhook/refusals.ts";
import type { EditorSubject } from "../editor/use-editor.ts";
import type { OwnerEditor } from "../owner/owner-form.tsx";
import { type AlertState, listAlertFields, sendsAlert, toBody, toState } from "./alert-state.ts";

export type AlertEditor = OwnerEditor<AlertDetail, AlertState>;

/** `onCreated` gets the id of an alert that was saved for the first time. */
export function useAlertSubject(
  detail: AlertDetail | null,
  onCreated: (id: string) => void,
): EditorSubject<AlertDetail, AlertState> {
  const { limits, alertWebhooksGate } = useSession();
  const isGated = alertWebhooksGate !== null;
  const { read, write } = useOwnerChanges(ALERT, onCreated);
  const isNew = detail === null;
  const { data } = useAnswerWhen("GET /alerts", isNew ? {} : null);
  const names = {
    label: ALERT.label,
    taken: (data?.alerts ?? []).map(({ name }) => name),
    charsMax: limits.alertNameCharsMax,
  };
  return {
    toState: (saved) => toState(saved, isGated),
    withWebhook: (state, webhook) => ({
      ...state,
      webhook,
      name: isNew
        ? proposeName(state.name, webhook.url, { ...names, withoutUrl: state.webhooksOn ? "" : `New ${ALERT.noun}` })
        : state.name,
    }),
    sends: sendsAlert,
    listFields: listAlertFields,
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
