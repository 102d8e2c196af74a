/**
 * Two attempts of one delivery side by side, as rows of names and values. A row says whether its two sides differ; what
 * differs in every attempt, such as a time, does so only when it tells something. Pure.
 */
import type { AttemptView, SentBodyView } from "../../../src/dashboard/contract/deliveries.ts";
import type { ExplainedOutcome, ResponseView } from "../../../src/dashboard/contract/outcomes.ts";
import { formatJson } from "../../json-tokens.ts";
import { number } from "../../words.ts";
import { BODIES } from "../body/body-kinds.ts";
import { bodyLabel } from "./sent-bodies.ts";
import { hasSent } from "./sent-text.ts";
import { responseTime } from "../deliveries/filters.ts";

export interface ComparedRow {
  readonly name: string;
  /** `null`: this side has none. */
  readonly left: string | null;
  readonly right: string | null;
  readonly isDifferent: boolean;
}

export interface ComparedGroup {
  readonly title: "Result" | "Request" | "Response" | "Times";
  readonly rows: readonly ComparedRow[];
}

export interface ComparedAttempts {
  readonly groups: readonly ComparedGroup[];
  readonly body: { readonly left: BodyLines; readonly right: BodyLines; readonly isDifferent: boolean };
}

/** A body in lines; those from `from` to before `to` differ from the other side's. */
export interface BodyLines {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Below both, a difference in time is chance. Guesses. */
const TELLING_MS_MIN = 50;
const TELLING_FACTOR_MIN = 1.5;

export function compareAttempts(
  left: AttemptView,
  right: AttemptView,
  sentBodies: readonly SentBodyView[] = [],
): ComparedAttempts {
  const [a, b] = [left.outcome, right.outcome];
  const groups: readonly ComparedGroup[] = [
    {
      title: "Result",
      rows: [
        toRow("Outcome", a.status, b.status),
        toRow("In words", a.sentence, b.sentence),
        toRow("Address reached", a.address, b.address),
      ],
    },
    {
      title: "Request",
      rows: [
        toRow("URL", left.url, right.url),
        ...headerRows(left.requestHeaders, right.requestHeaders),
        ...(sentBodies.length === 0 ? [] : [toRow("Body", bodyOf(left, sentBodies), bodyOf(right, sentBodies))]),
      ],
    },
    {
      title: "Response",
      rows: [
        toRow("Status", statusOf(a.response), statusOf(b.response)),
        ...headerRows(a.response?.headers ?? {}, b.response?.headers ?? {}),
      ],
    },
    { title: "Times", rows: timeRows(a.timings, b.timings) },
  ];
  return { groups, body: compareLines(toLines(a.response), toLines(b.response)) };
}

/** By the name under which it stands whole below. */
function bodyOf(attempt: AttemptView, sentBodies: readonly SentBodyView[]): string | null {
  if (!hasSent(attempt)) return null;
  return attempt.sent === null ? BODIES.event.label : bodyLabel(sentBodies, attempt.sent);
}

const toRow = (name: string, left: string | null, right: string | null): ComparedRow => ({
  name,
  left,
  right,
  isDifferent: left !== right,
});

const statusOf = (response: ResponseView | null): string | null => (response === null ? null : String(response.status));

type Headers = Readonly<Record<string, string>>;

/** In the order in which they were sent; those of the right side alone at the end. */
function headerRows(left: Headers, right: Headers): readonly ComparedRow[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].map((name) => toRow(name, left[name] ?? null, right[name] ?? null));
}

type Timings = ExplainedOutcome["timings"];

const TIMES: readonly (readonly [name: string, field: keyof Timings])[] = [
  ["Name look-up", "dnsMs"],
  ["Connection", "connectMs"],
  ["Encryption (TLS)", "tlsMs"],
  ["First byte after", "firstByteMs"],
  ["Total", "totalMs"],
];

function timeRows(left: Timings, right: Timings): readonly ComparedRow[] {
  return TIMES.map(([name, field]) => {
    const [a, b] = [left[field], right[field]];
    // An open connection spares the opening: that one attempt had none of it tells nothing.
    const isDifferent = a === null || b === null ? field === "firstByteMs" && a !== b : isTelling(a, b);
    return { name, left: inWords(a), right: inWords(b), isDifferent };
  });
}

const inWords = (ms: number | null): string | null => (ms === null ? null : responseTime(ms));

function isTelling(left: number, right: number): boolean {
  const [less, more] = left < right ? [left, right] : [right, left];
  return more - less >= TELLING_MS_MIN && more >= less * TELLING_FACTOR_MIN;
}

/** JSON is laid out, so that two bodies on one line each differ by the field and not by all. */
function toLines(response: ResponseView | null): readonly string[] {
  if (response === null) return [];
  if (response.isPurged) return ["(deleted at the end of its retention time)"];
  const { body } = response;
  if (body.kind === "binary") return [`(${number(body.bytes)} bytes that are not text)`, body.base64];
  return body.text === "" ? [] : (formatJson(body.text) ?? body.text).split("\n");
}

/** The lines between what both begin with and what both end with. */
function compareLines(left: readonly string[], right: readonly string[]): ComparedAttempts["body"] {
  const shorter = Math.min(left.length, right.length);
  let from = 0;
  while (from < shorter && left[from] === right[from]) from += 1;
  let same = 0;
  while (same < shorter - from && left.at(-1 - same) === right.at(-1 - same)) same += 1;
  return {
    left: { lines: left, from, to: left.length - same },
    right: { lines: right, from, to: right.length - same },
    isDifferent: from < Math.max(left.length, right.length),
  };
}

/**
 * The two that people most often want beside each other: the first success and the failure before it, else the last
 * two. Attempts are in the order of time.
 */
export function choosePair(attempts: readonly AttemptView[]): readonly [left: number, right: number] {
  const success = attempts.findIndex(({ outcome }) => outcome.class === "success");
  const right = success > 0 ? success : attempts.length - 1;
  return [attempts[right - 1]?.number ?? 0, attempts[right]?.number ?? 0];
}
