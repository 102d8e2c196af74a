/** The calls about an owner of a webhook that people make and delete: a demo alert, or a webhook of its own. */
import { useQueryClient } from "@tanstack/react-query";
import type { AlertDetail, AlertForm, SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { SaveWebhookBody, WebhookDetail } from "../../../src/dashboard/contract/webhooks.ts";
import { call } from "../../api.ts";
import { refresh } from "../../query.ts";

export interface OwnerCalls<Detail, Body> {
  /** "Alert", and in a sentence "this alert". */
  readonly label: string;
  readonly noun: "alert" | "webhook";
  readonly nameCharsMax: "alertNameCharsMax" | "webhookNameCharsMax";
  /** The page with the list; the form of one is below it. */
  readonly page: string;
  readonly all: "GET /alerts" | "GET /webhooks";
  readonly one: "GET /alerts/:id" | "GET /webhooks/:id";
  readonly read: (id: string) => Promise<Detail>;
  readonly readNames: () => Promise<readonly string[]>;
  readonly create: (body: Body) => Promise<SavedAnswer>;
  readonly replace: (id: string, body: Body, ifMatch: number) => Promise<SavedAnswer>;
  readonly remove: (id: string, ifMatch: number) => Promise<null>;
}

/** Where it does not matter whose they are. */
export type AnyOwnerCalls = OwnerCalls<SavedAnswer, never>;

export const ALERT: OwnerCalls<AlertDetail, AlertForm> = {
  label: "Alert",
  noun: "alert",
  nameCharsMax: "alertNameCharsMax",
  page: "/settings/alerts",
  all: "GET /alerts",
  one: "GET /alerts/:id",
  read: (id) => call("GET /alerts/:id", { params: { id } }),
  readNames: async () => (await call("GET /alerts", {})).alerts.map(({ name }) => name),
  create: (body) => call("POST /alerts", { body }),
  replace: (id, body, ifMatch) => call("PUT /alerts/:id", { params: { id }, body, ifMatch }),
  remove: (id, ifMatch) => call("DELETE /alerts/:id", { params: { id }, ifMatch }),
};

export const WEBHOOK: OwnerCalls<WebhookDetail, SaveWebhookBody> = {
  label: "Webhook",
  noun: "webhook",
  nameCharsMax: "webhookNameCharsMax",
  page: "/settings/webhooks",
  all: "GET /webhooks",
  one: "GET /webhooks/:id",
  read: (id) => call("GET /webhooks/:id", { params: { id } }),
  readNames: async () => (await call("GET /webhooks", {})).webhooks.map(({ name }) => name),
  create: (body) => call("POST /webhooks", { body }),
  replace: (id, body, ifMatch) => call("PUT /webhooks/:id", { params: { id }, body, ifMatch }),
  remove: (id, ifMatch) => call("DELETE /webhooks/:id", { params: { id }, ifMatch }),
};

/** The name of one's answer among those that the page keeps. */
export const toOwnerKey = ({ one }: Pick<AnyOwnerCalls, "one">, id: string) => [one, { params: { id } }] as const;

/** Where the pages of one stand. */
export const toPlace = ({ label, page }: Pick<AnyOwnerCalls, "label" | "page">) => ({
  section: "Settings",
  back: { href: page, label: `${label}s` },
});

interface Changes<Detail, Body> {
  readonly read: (id: string) => Promise<Detail>;
  /** Saves over this revision; `null` for what was never saved. */
  readonly write: (body: Body, saved: Detail | null, revision: number | null) => Promise<SavedAnswer>;
  /** As it is now: a list does not carry revisions. */
  readonly remove: (id: string) => Promise<void>;
}

/** The calls with what each does to the answers that the page keeps. `onCreated` gets the id of a new one. */
export function useOwnerChanges<Detail extends SavedAnswer, Body>(
  calls: OwnerCalls<Detail, Body>,
  onCreated: (id: string) => void = () => {},
): Changes<Detail, Body> {
  const client = useQueryClient();
  const renew = () => refresh(client, [calls.all, "GET /destinations", "GET /event-types/:type"]);
  return {
    async read(id) {
      const detail = await calls.read(id);
      client.setQueryData(toOwnerKey(calls, id), detail);
      return detail;
    },
    async write(body, saved, revision) {
      const isNew = saved === null || revision === null;
      const answer = isNew ? await calls.create(body) : await calls.replace(saved.id, body, revision);
      await renew();
      if (isNew) onCreated(answer.id);
      return answer;
    },
    async remove(id) {
      const { revision } = await calls.read(id);
      await calls.remove(id, revision);
      await renew();
    },
  };
}
