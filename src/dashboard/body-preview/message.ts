/**
 * A chat message of an event for the form: as the tool shows it, and as a template to change, with placeholders where
 * the event's values stand.
 */
import type { BodySource, BodyText, WrittenText } from "../../bodies/body-text.ts";
import type { ChatMessage } from "../../bodies/chat/message.ts";
import { fillRecipe } from "../../bodies/chat/recipe.ts";
import { findWriter } from "../../bodies/chat/tools.ts";
import { escapeText } from "../../bodies/template.ts";
import { createValues } from "../../bodies/values.ts";

/** `null` for a template. */
export function readMessage({ text }: BodyText, source: BodySource): ChatMessage | null {
  const written = JSON.parse(text) as WrittenText;
  return written.kind === "template" ? null : fillRecipe(written.recipe, createValues(source));
}

/**
 * The message of the tool with `{{path}}` where a value of this event stands; empty for a template. The writer gets a
 * mark for each value, which is neither markup nor a mention to any tool and so comes back as it went in.
 */
export function toTemplate({ text }: BodyText, source: BodySource): string {
  const written = JSON.parse(text) as WrittenText;
  const write = written.kind === "template" ? undefined : findWriter(written.kind, written.version);
  if (written.kind === "template" || write === undefined) return "";
  const { recipe } = written;
  const values = createValues(source);
  const marks = new Map<string, string>();
  const message = fillRecipe(recipe, {
    text(path) {
      // Alternatives that are not there give way to the next; a time would be written as a date, and is left out.
      if (path === recipe.occurredAt || values.text(path) === "" || !IS_WRITABLE.test(path)) return "";
      const mark = path === recipe.link ? `https://value${marks.size}x.invalid/` : `value${marks.size}x`;
      marks.set(mark, path);
      return mark;
    },
  });
  const json = JSON.stringify(JSON.parse(write(message)), null, 2);
  return json.replaceAll(MARKS, (found, alone: string | undefined) => {
    const path = marks.get(alone ?? found);
    if (path === undefined) return found;
    // A placeholder that is a string alone would come with the value's type, and tools take texts alone: with a blank
    // behind it, it is a text. An address is one anyway.
    const placeholder = escapeText(`{{${path}}}`);
    return alone === undefined ? placeholder : `"${placeholder} "`;
  });
}

/** A text that is a mark alone, a mark as an address, or one within a text. */
const MARKS = /"(value\d+x)"|https:\/\/value\d+x\.invalid\/|value\d+x/g;

/** A placeholder ends its name at these, or leaves blanks at its ends out. */
const IS_WRITABLE = /^(?!\s)(?!.*(?:\||\{\{|\}\}|\s$)).+$/s;
