/** A built-in event type by its name, for tests that go over several. */
import { BUILT_IN_TYPES } from "../../src/events/event-types.ts";
import type { EventType } from "../../src/events/event-type.ts";

export function eventType(name: string): EventType {
  const found = BUILT_IN_TYPES.find(name);
  if (found === undefined) throw new Error(`no event type ${name}`);
  return found;
}
