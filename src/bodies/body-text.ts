/**
 * The complete text that a webhook's body is made of: a template, or what a chat tool's message says of an event type.
 * Nothing outside of it decides what an event becomes, so a text that is kept shows years later what was sent. Pure.
 */
import { createHash } from "node:crypto";
import type { BodySettings, ChatToolName } from "../domain/body.ts";
import type { EventType } from "../events/event-type.ts";
import type { Recipe } from "../events/recipe.ts";
import { recipeOf } from "./chat/recipe.ts";
import { newestVersion } from "./chat/tools.ts";

export interface BodyText {
  /** Of the text alone: two nodes give the same text the same id. */
  readonly id: string;
  readonly text: string;
}

/** The event that a body is made of. */
export interface BodySource {
  /** The event's own body, as it was accepted. */
  readonly body: string;
  readonly webhookId: string;
  readonly acceptedAtMs: number;
}

/** A text as JSON. Kept ones have these forms for ever; `version` says which of the tool's writers is meant. */
export type WrittenText =
  | { readonly kind: "template"; readonly template: string }
  | { readonly kind: ChatToolName; readonly version: number; readonly recipe: Recipe };

export interface TypeOfEvent {
  /** `undefined`: it is not declared any more, or not yet. */
  readonly eventType: EventType | undefined;
  readonly name: string;
}

/** Written once for a destination's settings and a type, for as long as a node holds the settings. */
const texts = new WeakMap<BodySettings, Map<string, BodyText>>();

/** `null`: the event goes as it is. */
export function bodyTextOf(settings: BodySettings, type: TypeOfEvent): BodyText | null {
  const { body } = settings;
  if (body === "event") return null;
  const byType = texts.getOrInsertComputed(settings, () => new Map<string, BodyText>());
  return byType.getOrInsertComputed(type.name, () =>
    toBodyText(
      body === "template"
        ? { kind: body, template: settings.template ?? "" }
        : { kind: body, version: newestVersion(body), recipe: recipeOf(type.eventType, type.name) },
    ),
  );
}

const ID_CHARS = 32;

function toBodyText(written: WrittenText): BodyText {
  const text = JSON.stringify(written);
  return { id: createHash("sha256").update(text).digest("hex").slice(0, ID_CHARS), text };
}
