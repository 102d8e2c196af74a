/** What Teams' workflow does with a webhook's body: the cards that it can post, and what a card shows. */
import { type Finds, type Members, asList, asMembers, refuse, refuseOthers, takeBy, textWithin } from "./seen.ts";

const CARD = "card";
const MESSAGE_BYTES_MAX = 28 * 1024;

export const takeTeams = takeBy((message, finds, text) => {
  const { type, attachments } = message;
  if (type !== "message" || asList(attachments).length === 0) refuse(CARD, "the flow finds no attachments");
  if (Buffer.byteLength(text) > MESSAGE_BYTES_MAX) refuse(CARD, "Request Entity too large");
  for (const { contentType, content } of asList(attachments)) {
    if (contentType !== "application/vnd.microsoft.card.adaptive") refuse(CARD, "no Adaptive Card");
    readCard(asMembers(content), finds);
  }
});

function readCard(card: Members, finds: Finds): void {
  const { type, version, body, actions = [], msteams } = card;
  refuseOthers(card, ["$schema", "type", "version", "body", "actions", "msteams"], CARD);
  if (type !== "AdaptiveCard" || !/^1\.[0-5]$/.test(String(version))) refuse(CARD, "no card of a version up to 1.5");
  if (asList(body).length === 0) refuse(CARD, "an empty card");
  for (const element of asList(body)) readElement(element, finds);
  for (const action of asList(actions)) readAction(action, finds);
  for (const { mentioned } of asList(asMembers(msteams)["entities"]))
    finds.pings.push(String(asMembers(mentioned)["id"]));
}

function readElement({ type, text, inlines, facts }: Members, finds: Finds): void {
  const within = { max: 28_000, refusal: CARD };
  if (type === "TextBlock") readMarkdown(textWithin(text, "a text", within), finds);
  else if (type === "FactSet") {
    for (const { title, value } of asList(facts)) {
      for (const part of [title, value]) readMarkdown(textWithin(part, "a fact", within), finds);
    }
  } else if (type === "RichTextBlock") {
    if (asList(inlines).length === 0) refuse(CARD, "a block without a run");
    const runs = asList(inlines).map((run) => readRun(run, finds));
    finds.texts.push(runs.join(""));
  } else refuse(CARD, `the element ${String(type)}`);
}

/** Markdown is not supported in it; functions are. */
function readRun({ type, text, selectAction, weight }: Members, finds: Finds): string {
  if (type !== "TextRun") refuse(CARD, `the inline ${String(type)}`);
  const read = textWithin(text, "a run", { max: 28_000, refusal: CARD });
  if (/\{\{(?:DATE|TIME)\(/.test(read)) finds.marked.push(read);
  if (weight === "Bolder") finds.marked.push(read);
  if (selectAction !== undefined) readAction(asMembers(selectAction), finds);
  return read;
}

function readAction({ type, title, url }: Members, finds: Finds): void {
  if (type !== "Action.OpenUrl" || typeof url !== "string" || !URL.canParse(url)) return refuse(CARD, "an action");
  finds.links.push({ words: String(title), url });
}

function readMarkdown(text: string, { texts, links, marked }: Finds): void {
  for (const [, words = "", url = ""] of text.matchAll(/\[([^\]]*)\]\(([^)]*)\)/g)) links.push({ words, url });
  for (const [words] of text.matchAll(/\*\*.+?\*\*|_.+?_|^(?:- |\d+\. ).*/gm)) marked.push(words);
  texts.push(text);
}
