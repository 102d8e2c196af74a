/** The webhooks that an event did not go to when it was accepted, by name and with the reason in words. Pure. */
import { ownerKindOf } from "../../domain/event.ts";
import { readNotSent } from "../../domain/not-sent.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { StoredEvent } from "../../store/contract/log.ts";
import { readPayload } from "../conditions/latest-events.ts";
import type { NotSentView } from "../contract/conditions.ts";
import { explainNotSent } from "../explain/not-sent.ts";

export function toNotSentView(
  destinations: ReadonlyMap<string, ReportedDestination>,
  { notSent, body, type }: Pick<StoredEvent, "notSent" | "body" | "type">,
): NotSentView {
  if (notSent === null) return { webhooks: [], more: 0 };
  const { webhooks, more } = readNotSent(notSent);
  const given = {
    payload: body === null ? null : readPayload(body),
    owner: ownerKindOf(type),
  };
  return {
    more,
    webhooks: webhooks.map(({ destinationId, reason }) => {
      const destination = destinations.get(destinationId);
      return {
        destination: destination === undefined ? null : { id: destination.id, owner: destination.owner },
        why: explainNotSent(reason, given),
      };
    }),
  };
}
