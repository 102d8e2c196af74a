/** What operators, owners and visitors choose, as work of a size, by the entry points that the service uses. */
import { bodyTextOf } from "../../src/bodies/body-text.ts";
import { renderBody } from "../../src/bodies/render-body.ts";
import type { BodySettings } from "../../src/domain/body.ts";
import { type Condition, type Conditions, findUnmet } from "../../src/domain/conditions.ts";
import { checkDeclaration } from "../../src/events/declared/check-declaration.ts";
import { createEventType } from "../../src/events/declared/create-event-type.ts";
import type { EventType } from "../../src/events/event-type.ts";
import { createFieldReader, type Payload } from "../../src/events/payload.ts";
import type { Work } from "./measure.ts";

/** `null`: `events check` and the start refuse its schema. */
export function declare(schema: object, example: object = {}): EventType | null {
  const properties = "properties" in schema ? (schema.properties as object) : {};
  const value = {
    type: "thing_happened",
    title: "Thing happened",
    key: "/id",
    example: { id: "1", ...example },
    schema: { type: "object", required: ["id"], ...schema, properties: { id: { type: "string" }, ...properties } },
  };
  const declared = checkDeclaration(value, JSON.stringify(value));
  if (declared.ok) return createEventType(declared.value);
  if (declared.error.every(({ pointer }) => pointer.startsWith("/schema"))) return null;
  throw new Error(JSON.stringify(declared.error));
}

export function parse(type: EventType | null, record: object): Work | null {
  if (type === null) return null;
  const text = JSON.stringify({ id: "1", ...record });
  return () => type.parse(text);
}

/** The conditions of some webhooks on one record, as an acceptance asks for them. */
export function decide(payload: Payload, webhooks: readonly (readonly Condition[])[]): Work {
  const each = webhooks.map((list): Conditions => ({ join: "all", list }));
  return () => {
    const read = createFieldReader(() => payload);
    for (const conditions of each) findUnmet(conditions, read);
  };
}

/** An event's body by a template, as a delivery makes it; the event is parsed already, as for another webhook. */
export function makeBody(template: object, event: object): Work {
  const settings: BodySettings = { body: "template", template: JSON.stringify(template) };
  const source = { body: JSON.stringify(event), webhookId: "dlv_1", acceptedAtMs: 0 };
  const text = bodyTextOf(settings, { eventType: undefined, name: "thing_happened" });
  if (text === null) throw new Error("a template has a text");
  return () => renderBody(text, source);
}

export const times = <Value>(count: number, toValue: (n: number) => Value): Value[] =>
  Array.from({ length: count }, (_, n) => toValue(n));
