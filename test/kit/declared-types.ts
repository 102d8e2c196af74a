/** The three declared types of `examples/events`, for tests of types that an operator adds. */
import { join } from "node:path";
import { readEventTypes } from "../../src/events/declared/read-event-types.ts";
import { type EventTypes, createEventTypes } from "../../src/events/event-types.ts";
import { toValue } from "./world/world.ts";

/** As `BELLWIRE_EVENTS` names it. */
export const EVENTS_FOLDER = join(import.meta.dirname, "..", "..", "examples", "events");

/** The built-in types, and these. */
export const DECLARED_TYPES: EventTypes = createEventTypes(toValue(readEventTypes(EVENTS_FOLDER, { taken: [] })));

/** The one whose key is a UUID at `/id`, as the built-in types have it. */
export const LEAD_TYPE = "lead_identified";

export function leadRecord(id: string): string {
  return JSON.stringify({ ...DECLARED_TYPES.find(LEAD_TYPE)?.example, id });
}
