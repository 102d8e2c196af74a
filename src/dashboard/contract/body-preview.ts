/** What a webhook's body would have been for the latest events: the form shows it while somebody edits. */
import type * as chat from "../../bodies/chat/message.ts";
import type { About } from "../../domain/event.ts";
import type { FormOf } from "../../domain/form.ts";
import type { bodyPreviewForm } from "../forms/bodies.ts";

export type BodyPreviewBody = FormOf<typeof bodyPreviewForm>;

export type ChatMessage = chat.ChatMessage;

export interface BodyPreview {
  /** Of those accepted last, newest first, as far as their payloads are there. */
  readonly events: readonly PreviewedEvent[];
  /** The account has no event yet, and `events` has the example of its type. */
  readonly isExample: boolean;
  /** `null` where there is no event. */
  readonly shown: ShownBody | null;
  /** Placeholders of a template that have nothing in some of the events, those of the most events first. */
  readonly missing: readonly MissingValue[];
  /** Placeholders that no event of these types has; each goes on from "The template". */
  readonly warnings: readonly string[];
  /** Why the template is none; then nothing else is there. Each goes on from "The template". */
  readonly mistakes: readonly string[];
}

export interface PreviewedEvent {
  readonly eventId: string;
  readonly type: string;
  /** `null` for the example of a type. */
  readonly sourceId: string | null;
  readonly acceptedAtMs: number;
  readonly about: About;
  /** The size of what is sent; `null` where nothing can be made of it. */
  readonly bytes: number | null;
}

export interface ShownBody {
  /** Its place in `events`. */
  readonly place: number;
  readonly event: string;
  /** `null` where nothing can be made of it, and `fault` says why. */
  readonly sent: string | null;
  readonly fault: string;
  /** What a chat tool shows; `null` for a template. */
  readonly message: ChatMessage | null;
  /** The same message as a template to change; empty for a template. */
  readonly template: string;
}

export interface MissingValue {
  readonly path: string;
  /** The events without it, as places in `events`. */
  readonly places: readonly number[];
}
