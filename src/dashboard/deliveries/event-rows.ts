/** Sessions and conversations as lists show them. Pure. */
import type { ListedEvent } from "../../store/contract/log.ts";
import type { EventRow } from "../contract/deliveries.ts";

export function toEventRow(event: ListedEvent): EventRow {
  const { sourceId, id, type, acceptedAtMs, about, intentLevel, deliveries, isPurged } = event;
  return { sourceId, eventId: id, type, acceptedAtMs, about, intentLevel, deliveries, isPurged };
}
