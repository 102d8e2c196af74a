/**
 * How the egress guard's refusals name the operator. Owners read them, and they know no setting of the service: each
 * sentence says whom to ask. The operator finds the setting in the log, in the doctor's words and in `docs/secure.md`.
 * Pure.
 */

/** The end of a refusal that the operator can lift. */
export const CAN_BE_ALLOWED = "Ask the people who run this service to allow it.";
/** The end of a refusal that the operator has made. */
export const CLOSED = "the people who run this service do not let webhooks go there.";
/** The same at save and at connect: a URL that was saved before the operator's decision is not called either. */
export const HTTPS_ONLY = "A URL must start with https: here; the people who run this service allow no other.";

/** Nobody is called until the operator has said that this is the service, and no copy of it. */
export const HELD = "Nobody is called: this is a copy of the service that is held.";

/** The operator's setting behind a refusal, for the log; `null` when no setting has to do with it. */
export function findSetting(message: string): string | null {
  if (message.endsWith(HTTPS_ONLY)) return "BELLWIRE_HTTPS_ONLY";
  if (message.endsWith(CLOSED)) return "BELLWIRE_EGRESS_DENY";
  return message.endsWith(CAN_BE_ALLOWED) ? "BELLWIRE_EGRESS_ALLOW" : null;
}
