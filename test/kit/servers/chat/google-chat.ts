/** Google Chat's rules for a message of a webhook, and what it makes of the markup of texts and cards. */
import {
  BARE_URL,
  type Finds,
  type Members,
  asList,
  asMembers,
  refuse,
  refuseOthers,
  takeBy,
  textWithin,
} from "./seen.ts";

const INVALID = "INVALID_ARGUMENT";

export const takeGoogleChat = takeBy((message, finds, json) => {
  const { text, cardsV2 = [], fallbackText } = message;
  refuseOthers(message, ["text", "cardsV2", "fallbackText", "thread"], INVALID);
  if (text === undefined && asList(cardsV2).length === 0) refuse(INVALID, "Message cannot be empty.");
  if (Buffer.byteLength(json) > 32_000) refuse(INVALID, "Message is too long.");
  if (text !== undefined) readText(textWithin(text, "text", { max: 4_096, refusal: INVALID }), finds);
  if (fallbackText !== undefined) {
    readText(textWithin(fallbackText, "fallbackText", { max: 4_096, refusal: INVALID }), finds);
  }
  for (const card of asList(cardsV2)) readCard(card, finds);
});

function readCard(outer: Members, finds: Finds): void {
  const card = asMembers(outer["card"]);
  refuseOthers(outer, ["cardId", "card"], INVALID);
  refuseOthers(card, ["header", "sections"], INVALID);
  const widgets = asList(card["sections"]).flatMap((section) => asList(section["widgets"]));
  if (widgets.length === 0) refuse(INVALID, "A card must have a widget.");
  if (widgets.length > 100) refuse(INVALID, "A card has at most 100 widgets.");
  for (const widget of widgets) {
    refuseOthers(widget, ["textParagraph"], INVALID);
    const { text } = asMembers(widget["textParagraph"]);
    readHtml(textWithin(text, "a paragraph", { max: 32_000, refusal: INVALID }), finds);
  }
}

const TAGS = /^\/?(?:b|i|u|s|strike|font|time|a|br)\b/i;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
const decode = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? "");

/** A few tags of HTML; there are no mentions in a card. */
function readHtml(html: string, { texts, links, marked }: Finds): void {
  const withoutLinks = html.replaceAll(/<a href="([^"]*)">(.*?)<\/a>/g, (_, url: string, words: string) => {
    links.push({ words: decode(words), url: decode(url) });
    return words;
  });
  for (const [, words = ""] of withoutLinks.matchAll(/<(?:b|i|u|s|strike|font)\b[^>]*>(.*?)<\//g)) {
    marked.push(decode(words));
  }
  const bare = withoutLinks.replaceAll(/<([^>]*)>/g, (tag, inner: string) => {
    if (!TAGS.test(inner)) marked.push(tag);
    return inner.startsWith("br") ? "\n" : "";
  });
  if (/&(?!amp;|lt;|gt;|quot;)/.test(bare)) marked.push(bare);
  const text = decode(bare);
  for (const [url] of text.matchAll(BARE_URL)) links.push({ words: url, url });
  texts.push(text);
}

/** Without any escape. */
function readText(text: string, { texts, links, pings }: Finds): void {
  for (const [, target = ""] of text.matchAll(/<(users\/[^>]*)>/g)) pings.push(target);
  for (const [url] of text.matchAll(BARE_URL)) links.push({ words: url, url });
  texts.push(text);
}
