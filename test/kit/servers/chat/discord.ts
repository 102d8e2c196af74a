/** Discord's rules for a message of a webhook, and what it makes of its Markdown. */
import { type Finds, type Members, asList, asMembers, refuse, refuseOthers, takeBy, textWithin } from "./seen.ts";

const FORM = "form";

export const takeDiscord = takeBy((message, finds) => {
  const { content = "", embeds = [], allowed_mentions: allowed } = message;
  refuseOthers(message, ["content", "embeds", "allowed_mentions", "username"], FORM);
  if (content === "" && asList(embeds).length === 0) refuse("empty", "neither content nor embeds");
  if (asList(embeds).length > 10) refuse(FORM, "more than 10 embeds");
  const pingable = finds.pings.length;
  if (content !== "") readMarkdown(textWithin(content, "content", { max: 2_000, refusal: FORM }), finds);
  const { parse } = asMembers(allowed);
  if (Array.isArray(parse) && parse.length === 0) finds.pings.length = pingable;
  const total = asList(embeds).reduce((sum, embed) => sum + readEmbed(embed, finds), 0);
  if (total > 6_000) refuse(FORM, `the embeds have ${total} characters`);
});

/** Returns its length. Mentions are shown in an embed and ping nobody. */
function readEmbed(embed: Members, finds: Finds): number {
  const { title, url, description, fields = [], footer } = embed;
  refuseOthers(embed, ["title", "url", "description", "fields", "footer"], FORM);
  if (asList(fields).length > 25) refuse(FORM, "more than 25 fields");
  const texts = [
    ...(title === undefined ? [] : [textWithin(title, "title", { max: 256, refusal: FORM })]),
    ...(description === undefined ? [] : [textWithin(description, "description", { max: 4_096, refusal: FORM })]),
    ...asList(fields).flatMap(({ name, value }) => [
      textWithin(name, "a field's name", { max: 256, refusal: FORM }),
      textWithin(value, "a field's value", { max: 1_024, refusal: FORM }),
    ]),
  ];
  if (texts.length === 0) refuse("empty", "an empty embed");
  for (const text of texts) readMarkdown(text, finds);
  if (url !== undefined) finds.links.push({ words: String(title), url: webUrl(url) });
  // A footer knows no Markdown.
  const end =
    footer === undefined ? "" : textWithin(asMembers(footer)["text"], "footer", { max: 2_048, refusal: FORM });
  if (end !== "") finds.texts.push(end);
  return [...texts, end].reduce((sum, text) => sum + text.length, 0);
}

function webUrl(value: unknown): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : refuse(FORM, "Not a well formed URL.");
}

/** An escape first, then a link, a bare address, mentions and other signs. */
const TOKENS = [
  /\\(?<sign>[^0-9A-Za-z\s])/,
  /\[(?<words>[^\]\\]+)\]\((?<url>https?:[^)\s]+)\)/,
  /(?<bare>https?:\/\/\S+)/,
  /(?<ping><[@#:t!][^>]*>|@everyone|@here)/,
  /\*\*|[*_~`]+|\|\|/,
];
const TOKEN = new RegExp(TOKENS.map(({ source }) => source).join("|"), "g");

function readMarkdown(text: string, { texts, links, pings, marked }: Finds): void {
  for (const line of text.split("\n")) {
    if (/^\s*(?:#{1,3} |-# |>|[-*+] |\d+\. )/.test(line)) marked.push(line);
  }
  let read = "";
  let end = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(TOKEN)) {
    const { sign, words, url, bare, ping } = groups;
    if (url !== undefined) links.push({ words: words ?? "", url });
    if (bare !== undefined) links.push({ words: bare, url: bare });
    if (ping !== undefined) pings.push(ping);
    read += text.slice(end, index) + (sign ?? words ?? bare ?? ping ?? "");
    end = index + token.length;
  }
  const signs = text.replaceAll(/\\[^0-9A-Za-z\s]/g, "\u0000").replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, "$1");
  for (const [words] of signs.matchAll(/(\*\*|[*_`]|~~|\|\|)(.+?)\1/g)) marked.push(words.replaceAll("**", ""));
  texts.push(read + text.slice(end));
}
