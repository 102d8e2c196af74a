/**
 * `npm run bench -- bodies`: what it costs to make a webhook's body of an event, in one process and without a network.
 * The event's parse has a row of its own, as all webhooks of an event share one.
 */
import { type BodySource, bodyTextOf } from "../src/bodies/body-text.ts";
import { renderBody } from "../src/bodies/render-body.ts";
import { parseTemplate } from "../src/bodies/template.ts";
import { type BodySettings, CHAT_TOOLS } from "../src/domain/body.ts";
import { LIMITS } from "../src/domain/limits.ts";
import { chatConversationCompleted as chat } from "../src/events/chat-conversation-completed.ts";
import { parseBody } from "../src/events/exact-json.ts";
import { times } from "../test/growth/work.ts";
import { describeHost } from "./conditions.ts";
import { count, head, row } from "./markdown.ts";

type Work = () => unknown;

const MEASURED_MS = 500;
const USUAL = { placeholders: 20, microsMax: 100 };
const LIMIT_MICROS_MAX = 5_000;

console.log(`- ${describeHost()}\n`);
head("What", "event, bytes", "µs, median", "aim");
const usual = toUsualEvent();
measure("an event's parse", usual, { work: () => parseBody(usual) });
const toUsual = { work: make({ body: "template", template: toUsualTemplate() }, usual), microsMax: USUAL.microsMax };
measure(`${USUAL.placeholders} placeholders`, usual, toUsual);
for (const body of CHAT_TOOLS) {
  measure(`a message for ${body}`, usual, { work: make({ body, template: null }, usual), microsMax: USUAL.microsMax });
}
for (const [what, template] of listTemplates()) {
  measure(`reading ${what}`, "", { work: () => parseTemplate(template), microsMax: LIMIT_MICROS_MAX });
}
for (const [what, template, event] of listWorst()) {
  const body = JSON.stringify(event);
  const work = make({ body: "template", template: JSON.stringify(template) }, body);
  measure(what, body, { work, microsMax: LIMIT_MICROS_MAX });
}

interface Measured {
  readonly work: Work;
  readonly microsMax?: number;
}

function measure(what: string, event: string, { work, microsMax = Number.POSITIVE_INFINITY }: Measured): void {
  const micros: number[] = [];
  // The first runs compile it.
  for (const round of ["warm-up", "measured"]) {
    const endMs = performance.now() + MEASURED_MS;
    for (let now = 0; now < endMs;) {
      const startedMs = performance.now();
      work();
      now = performance.now();
      if (round === "measured") micros.push((now - startedMs) * 1_000);
    }
  }
  const median = micros.toSorted((a, b) => a - b)[Math.floor(micros.length / 2)] ?? 0;
  const aim = Number.isFinite(microsMax) ? `${count(microsMax)}${median > microsMax ? ": **missed**" : ""}` : "";
  row(what, count(Buffer.byteLength(event)), median < 100 ? median.toFixed(1) : count(Math.round(median)), aim);
}

function make(settings: BodySettings, body: string): Work {
  const text = bodyTextOf(settings, { eventType: chat, name: chat.type });
  if (text === null) throw new Error("the event is sent as it is");
  const source: BodySource = { body, webhookId: "dlv_1", acceptedAtMs: 0 };
  return () => renderBody(text, source);
}

function toUsualEvent(): string {
  const signals = Object.fromEntries(
    times(480, (n) => [`signal_${n}`, `What a visitor said, number ${n}. `.repeat(6)]),
  );
  const parsed = chat.parse(JSON.stringify({ ...chat.example, extracted_variables: signals }));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value.buildBody({ appUrl: "https://app.example.com" });
}

function toUsualTemplate(): string {
  const paths = ["lead.email", "buyer_reveal.company_name", "intent_level", "duration"];
  const placeholders = times(
    USUAL.placeholders,
    (n) => `{{${n < paths.length ? paths[n] : `extracted_variables.signal_${n * 20}`}}}`,
  );
  return JSON.stringify(
    Object.fromEntries(placeholders.map((each, n) => [`name_${n}`, n % 2 === 0 ? each : `Said: ${each}`])),
  );
}

/** As large as a template may be. */
function listTemplates(): readonly (readonly [what: string, template: string])[] {
  const { templateBytesMax: bytesMax, templatePlaceholdersMax: placeholdersMax } = LIMITS;
  const fill = (unit: string): string =>
    JSON.stringify({ a: unit.repeat((bytesMax - 10) / JSON.stringify(unit).length) });
  return [
    [
      `a template of ${placeholdersMax} placeholders`,
      JSON.stringify({ a: times(placeholdersMax, (n) => `{{a.b.c${n}}} ${"x".repeat(60)}`) }),
    ],
    ["a template of quotation marks", fill('"\\')],
    ["a template of brackets", fill("{{a}}")],
    ["a template of strings", JSON.stringify({ a: times(bytesMax / 6, () => "é") }).slice(0, bytesMax)],
  ];
}

/** Templates and events at their limits. */
function listWorst(): readonly (readonly [what: string, template: object, event: object])[] {
  const { templatePlaceholdersMax: placeholders, madeBodyBytesMax: bytesMax } = LIMITS;
  const each = (toPath: (n: number) => string, isAlone = false) => ({
    a: times(placeholders, (n) => (isAlone ? `{{${toPath(n)}}}` : `{{${toPath(n)}}}.`)),
  });
  const nested = (levels: number): object => (levels === 0 ? { b: "x" } : { a: nested(levels - 1) });
  const dots = times(54, (n) => `{{${"a.".repeat(140)}b${n}}}`);
  return [
    ["200 placeholders through 100,000 items", each((n) => `list[].a${n}`), { list: times(100_000, () => ({})) }],
    [
      "200 placeholders through 300 items",
      each((n) => `list[].a${n % 3}`, true),
      { list: times(300, () => ({ a0: 1 })) },
    ],
    ["names of 300 characters, 60 levels", { a: dots }, nested(60)],
    ["a list of 200,000 numbers in a text", { a: "{{list}}." }, { list: times(200_000, (n) => n % 10) }],
    ["a list of 200,000 numbers", { a: "{{list}}" }, { list: times(200_000, (n) => n % 10) }],
    ["an object of 1 MB", { a: "{{object}}" }, { object: Object.fromEntries(times(60_000, (n) => [`name_${n}`, n])) }],
    [
      "an object of 1 MB in a text",
      { a: "{{object}}." },
      { object: Object.fromEntries(times(60_000, (n) => [`name_${n}`, n])) },
    ],
    [
      "200 texts, 256 KiB in all",
      each((n) => `texts.${n}`),
      { texts: times(placeholders, () => "é".repeat(bytesMax / 410)) },
    ],
    ["a text of 128 KiB quotation marks", { a: "{{text}}." }, { text: '"'.repeat(bytesMax / 2 - 20) }],
    ["a text of 1 MB", { a: "{{text}}." }, { text: "x".repeat(1_000_000) }],
    ["a record of 1 MB in a text", { a: "{{payload}}." }, { text: '"'.repeat(500_000) }],
  ];
}
