/**
 * From an event's body to the message that a chat tool shows of it, by the recipe of the event's type. Pure.
 *
 * Invariant: the same recipe and body make the same message for ever, as a log renders again what was sent. A message
 * that is to be filled otherwise is a new version of every tool's writer.
 */
import { oneLine } from "../../domain/plain-text.ts";
import type { EventType } from "../../events/event-type.ts";
import type { Recipe } from "../../events/recipe.ts";
import { epochMs, isTimestamp } from "../../events/timestamp.ts";
import { minuteInWords } from "../../lib/written-times.ts";
import type { ChatFact, ChatMessage } from "./message.ts";
import { readLink } from "./texts.ts";

/** `undefined`: the type is not declared any more, or not yet. */
export const recipeOf = (eventType: EventType | undefined, name: string): Recipe =>
  eventType?.makeRecipe() ?? { title: name, noun: "event", who: [], what: [], facts: [], link: null, occurredAt: null };

/** The part of `Values` that a recipe asks for: nothing there, `null` and an empty text are "". */
export interface RecipeValues {
  text(path: string): string;
}

const WHO_CHARS_MAX = 140;
/** A summary may have 64 KiB; this much is read in a channel. */
const WHAT_CHARS_MAX = 1_000;
const VALUE_CHARS_MAX = 200;

export function fillRecipe(recipe: Recipe, values: RecipeValues): ChatMessage {
  const line = (paths: readonly string[], charsMax: number): string => {
    // Blanks that are left out later may be the most of a text.
    const text = paths.map((path) => values.text(path).slice(0, 4 * charsMax)).join(" ");
    return oneLine(text.toWellFormed(), charsMax);
  };
  const who = recipe.who.map((paths) => ({ paths, text: line(paths, WHO_CHARS_MAX) })).find(({ text }) => text !== "");
  const rest = recipe.what.filter((paths) => paths.join("\n") !== who?.paths.join("\n"));
  const what = rest.map((paths) => line(paths, WHAT_CHARS_MAX)).find((text) => text !== "");
  const link = recipe.link === null ? null : readLink(values.text(recipe.link));
  const occurredAt = recipe.occurredAt === null ? "" : values.text(recipe.occurredAt);
  return {
    headline: who === undefined ? recipe.title : `${recipe.title}: ${who.text}`,
    paragraphs: what === undefined ? [] : [{ title: null, text: what, link: null }],
    facts: listFacts(recipe, (path) => line([path], VALUE_CHARS_MAX)),
    link: link === null ? null : { words: `Open the ${recipe.noun}`, url: link },
    footer: isTimestamp(occurredAt) ? { text: minuteInWords(epochMs(occurredAt)), link: null } : null,
  };
}

/** Those of one name are alternatives. */
function listFacts({ facts }: Recipe, read: (path: string) => string): ChatFact[] {
  const byName = new Map<string, string>();
  for (const [name, path] of facts) {
    const value = byName.has(name) ? "" : read(path);
    if (value !== "") byName.set(name, value);
  }
  return Array.from(byName, ([name, value]) => ({ name, value }));
}
