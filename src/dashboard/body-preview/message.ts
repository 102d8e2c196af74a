/**
 * A chat message of an event for the form: as the tool shows it, and as a template to change, with placeholders where
 * the event's values stand.
 */
import type { BodySource, BodyText, WrittenText } from "../../bodies/body-text.ts";
import type { ChatMessage } from "../../bodies/chat/message.ts";
import { fillRecipe } from "../../bodies/chat/recipe.ts";
import { findWriter } from "../../bodies/chat/tools.ts";
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
      if (path === recipe.occurredAt || values.text(path) === "") return "";
      const mark = path === recipe.link ? `https://value${marks.size}x.invalid/` : `value${marks.size}x`;
      marks.set(mark, path);
      return mark;
    },
  });
  const json = JSON.stringify(JSON.parse(write(message)), null, 2);
  return [...marks].reduce((filled, [mark, path]) => fillMark(filled, mark, path), json);
}

/**
 * A placeholder that is a string alone would come with the value's type, and tools take texts alone: with a blank
 * behind it, it is a text. An address is one anyway.
 */
function fillMark(json: string, mark: string, path: string): string {
  const asText = mark.startsWith("https:") ? json : json.replaceAll(`"${mark}"`, `"${mark} "`);
  return asText.replaceAll(mark, `{{${path}}}`);
}
