/** Slack's rules for a message of an incoming webhook, and what it makes of its markup. */
import {
  BARE_URL,
  type Bounds,
  type Finds,
  type Members,
  asList,
  asMembers,
  refuse,
  refuseOthers,
  takeBy,
  textWithin,
} from "./seen.ts";

const BLOCKS = "invalid_blocks";

export const takeSlack = takeBy((message, finds) => {
  const { text, blocks = [] } = message;
  if (text === undefined && blocks === undefined) refuse("no_text", "neither text nor blocks");
  if (text === undefined && asList(blocks).length === 0) refuse("no_text", "neither text nor blocks");
  if (!Array.isArray(blocks) || blocks.length > 50) refuse(BLOCKS, "more than 50 blocks");
  refuseOthers(message, ["text", "blocks", "mrkdwn", "attachments"], "invalid_payload");
  for (const block of asList(blocks)) readBlock(block, finds);
  // Pop-ups show it. Other programs with the same kind of webhook show it alone, and make links and mentions of it.
  if (text !== undefined) {
    readMarkup(textWithin(text, "text", { max: 40_000, refusal: "msg_too_long" }), { isVerbatim: false, finds });
  }
});

function readBlock(block: Members, finds: Finds): void {
  const { type, text, fields, elements } = block;
  const within = (max: number): Bounds => ({ max, refusal: BLOCKS });
  if (type === "header") {
    refuseOthers(block, ["type", "text"], BLOCKS);
    if (asMembers(text)["type"] !== "plain_text") refuse(BLOCKS, "a header is plain text");
    readText(asMembers(text), within(150), finds);
  } else if (type === "section") {
    refuseOthers(block, ["type", "text", "fields"], BLOCKS);
    if (text === undefined && fields === undefined) refuse(BLOCKS, "a section without a text");
    if (text !== undefined) readText(asMembers(text), within(3_000), finds);
    if (fields !== undefined && (asList(fields).length < 1 || asList(fields).length > 10)) refuse(BLOCKS, "fields");
    for (const field of asList(fields)) readText(field, within(2_000), finds);
  } else if (type === "context") {
    refuseOthers(block, ["type", "elements"], BLOCKS);
    if (asList(elements).length < 1 || asList(elements).length > 10) refuse(BLOCKS, "elements");
    for (const element of asList(elements)) readText(element, within(3_000), finds);
  } else {
    refuse(BLOCKS, `the block ${String(type)}`);
  }
}

function readText({ type, text, ...rest }: Members, bounds: Bounds, finds: Finds): void {
  const read = textWithin(text, "a text", bounds);
  if (type === "plain_text") {
    refuseOthers(rest, ["emoji"], BLOCKS);
    if (rest["emoji"] !== false && /:[a-z_]+:/.test(read)) finds.marked.push(read);
    // The three are control characters in every text object.
    if (/[<>]|&(?!amp;|lt;|gt;)/.test(read)) finds.marked.push(read);
    finds.texts.push(unescape(read));
  } else if (type === "mrkdwn") {
    refuseOthers(rest, ["verbatim"], BLOCKS);
    readMarkup(read, { isVerbatim: rest["verbatim"] === true, finds });
  } else {
    refuse(BLOCKS, `a text of the type ${String(type)}`);
  }
}

const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function readMarkup(text: string, { isVerbatim, finds }: { isVerbatim: boolean; finds: Finds }): void {
  const { texts, links, pings, marked } = finds;
  const bare = text.replaceAll(/<([^>]*)>/g, (_, inner: string) => {
    const [target = "", words = target] = inner.split("|");
    if (/^(?:!|@|#)/.test(target)) pings.push(target);
    else links.push({ words, url: target });
    return words;
  });
  if (!isVerbatim) {
    for (const [url] of bare.matchAll(BARE_URL)) links.push({ words: url, url });
    for (const [ping] of bare.matchAll(/@(?:channel|here|everyone|all)\b|(?<![\w.+-])@\w+/gi)) pings.push(ping);
    for (const [words] of bare.matchAll(/\[[^\]]*\]\([^)]*\)/g)) marked.push(words);
  } else {
    for (const [words] of bare.matchAll(/([*_~`])\S(?:[^\n]*?\S)?\1/g)) marked.push(words.slice(1, -1));
  }
  texts.push(unescape(bare));
}
