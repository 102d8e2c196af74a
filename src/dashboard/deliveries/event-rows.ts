/** Sessions and conversations as lists show them: title and visitor, read from the body as it was accepted. Pure. */
import { parseJson } from "../../events/exact-json.ts";
import type { StoredEvent } from "../../store/contract/log.ts";
import type { EventRow } from "../contract/deliveries.ts";

export function toEventRow(event: StoredEvent): EventRow {
  const { sourceId, id, type, acceptedAtMs, body, deliveries } = event;
  const members = body === null ? {} : parseMembers(body);
  const titleField = type === "demo_viewed" ? "name" : "conversation_summary";
  return {
    sourceId,
    eventId: id,
    type,
    acceptedAtMs,
    title: textAt(members, titleField),
    visitor: textAt(objectAt(members, "lead"), "email") || textAt(objectAt(members, "buyer_reveal"), "company_name"),
    intentLevel: textAt(members, "intent_level"),
    deliveries,
    isPurged: body === null,
  };
}

type Members = Readonly<Record<string, unknown>>;

/** A body was checked when it was accepted, but perhaps by an older version: its shape is not taken for sure. */
function parseMembers(body: string): Members {
  const parsed = parseJson(body);
  return parsed.ok ? asObject(parsed.value) : {};
}

const asObject = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});
const objectAt = (members: Members, name: string): Members => asObject(members[name]);

function textAt(members: Members, name: string): string {
  const value = members[name];
  return typeof value === "string" ? value : "";
}
