/** The events that a webhook is sent for, by whose it is: where its fields and its preview are asked for. */
import type { BodyPreview } from "../../../src/dashboard/contract/body-preview.ts";
import type { ConditionFieldView } from "../../../src/dashboard/contract/conditions.ts";
import type { BodySettings } from "../../../src/dashboard/contract/destinations.ts";
import { call } from "../../api.ts";
import { useAnswerWhen } from "../../query.ts";

export type WantedEvents =
  | { readonly owner: "alert" }
  | { readonly owner: "assistant"; readonly id: string }
  | { readonly owner: "webhook"; readonly types: readonly string[] | "all" };

export type OfferedField = Pick<ConditionFieldView, "path" | "about">;

/** Those of a webhook of its own are of its first types: an address is no place for hundreds. */
const TYPES_MAX = 20;

/** Those of the events' bodies; none for `null`, which asks nothing. One type alone has its choices, too. */
export function useFields(
  events: WantedEvents | { readonly owner: "type"; readonly type: string } | null,
): readonly ConditionFieldView[] {
  const types = events?.owner !== "webhook" || events.types === "all" ? "" : events.types.slice(0, TYPES_MAX).join(",");
  const answers = [
    useAnswerWhen("GET /alerts/fields", events?.owner === "alert" ? {} : null),
    useAnswerWhen("GET /assistants/:id/fields", events?.owner === "assistant" ? { params: { id: events.id } } : null),
    useAnswerWhen("GET /webhooks/fields", events?.owner === "webhook" ? { query: { types } } : null),
    useAnswerWhen("GET /event-types/:type/fields", events?.owner === "type" ? { params: { type: events.type } } : null),
  ];
  return answers.find(({ data }) => data !== undefined)?.data?.fields ?? [];
}

/** What a body may be made of. */
export const useOfferedFields = (events: WantedEvents): readonly OfferedField[] => [...useFields(events), ...OURS];

/** Names that every event has, beside those of its body. */
const OURS: readonly OfferedField[] = [
  { path: "payload", about: "The whole event, as it is sent without a template." },
  { path: "webhook_id", about: "The webhook’s id, as in the header webhook-id." },
  { path: "accepted_at", about: "When the event was accepted, in UTC." },
];

export interface WantedPreview extends BodySettings {
  /** The event that is shown whole; `null` for the newest. */
  readonly shown: string | null;
}

export function askPreview(events: WantedEvents, wanted: WantedPreview): Promise<BodyPreview> {
  if (events.owner === "alert") return call("POST /alerts/body-preview", { body: wanted });
  if (events.owner === "assistant") {
    return call("POST /assistants/:id/body-preview", { params: { id: events.id }, body: wanted });
  }
  return call("POST /webhooks/body-preview", { body: { ...wanted, types: events.types } });
}
