/**
 * What an attempt has sent, where that was not the event: how its body is made, and made again for the log. Pure.
 */
import { hash } from "node:crypto";
import type { SentBody } from "../domain/attempt.ts";
import { testWebhookId } from "../domain/delivery.ts";
import { readInstant } from "../domain/id.ts";
import { assert } from "../lib/assert.ts";
import type { BodySource, BodyText } from "./body-text.ts";
import { renderBody } from "./render-body.ts";

/** A delivery with its event's own body. */
export interface DeliveredEvent {
  readonly id: string;
  readonly eventId: string;
  readonly isTest?: boolean;
  readonly body: string;
}

/** Everything that a body is made of besides its text stands in the delivery: no row says it otherwise later. */
export function sourceOf({ id, eventId, isTest, body }: DeliveredEvent): BodySource {
  const acceptedAtMs = readInstant(eventId);
  assert(acceptedAtMs !== null, `${eventId} is no event's id`);
  return { body, webhookId: isTest === true ? testWebhookId(id) : id, acceptedAtMs };
}

export const toSentBody = ({ id }: BodyText, bytes: Uint8Array | string): SentBody => ({
  textId: id,
  sha256: hash("sha256", bytes, "hex"),
});

export interface MadeAgain {
  readonly body: string;
  /** It is not what was sent: the attempt keeps another hash. */
  readonly differs: boolean;
}

/**
 * The body of an attempt, from the text that it names. `null`: the event's body is gone, or the text, so that nothing
 * can be made.
 */
export function makeAgain(
  sent: SentBody,
  text: BodyText | undefined,
  delivered: Omit<DeliveredEvent, "body"> & { readonly body: string | null },
): MadeAgain | null {
  const { body } = delivered;
  if (text === undefined || body === null) return null;
  const made = renderBody(text, sourceOf({ ...delivered, body }));
  if (!made.ok) return null;
  return { body: made.value, differs: toSentBody(text, made.value).sha256 !== sent.sha256 };
}
