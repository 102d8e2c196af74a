/**
 * What a webhook sends: the event as it was accepted, a message of a chat tool, or JSON that its owner writes with
 * values of the event in it. One word for all of them: the webhook's body.
 */
export const CHAT_TOOLS = ["slack", "teams", "discord", "google_chat"] as const;

export type ChatToolName = (typeof CHAT_TOOLS)[number];

export const BODY_KINDS = ["event", ...CHAT_TOOLS, "template"] as const;

export type BodyKind = (typeof BODY_KINDS)[number];

/** The part of a webhook's settings that says what is sent. */
export interface BodySettings {
  readonly body: BodyKind;
  /** JSON with placeholders, as the owner wrote it; `null` unless `body` is `template`. */
  readonly template: string | null;
}
