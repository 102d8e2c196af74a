/** How a test of this visit differs from the one before it, in words. Pure. */
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";

export interface Tested {
  readonly answer: Pick<TestAnswer, "request">;
  /** The content of the form at that time. */
  readonly sent: string;
}

/** The address that was called, and what of the form had changed since the test before; `kept` has the newest first. */
export function testedWords(kept: readonly Tested[], index: number): string {
  const [test, before] = [kept[index], kept[index + 1]];
  if (test === undefined) return "";
  const where = addressWords(test.answer.request.url);
  if (before === undefined || before.answer.request.url !== test.answer.request.url) return where;
  return `${where} · ${changeWords(test, before)}`;
}

function changeWords(test: Tested, before: Tested): string {
  if (test.sent === before.sent) return "once more";
  const [now, then] = [test, before].map(({ answer }) => new Set(Object.keys(answer.request.headers)));
  const added = [...(now ?? [])].filter((name) => !then?.has(name));
  const removed = [...(then ?? [])].filter((name) => !now?.has(name));
  const words = [...added.map((name) => `with ${name}`), ...removed.map((name) => `without ${name}`)];
  return words.length === 0 ? "other values" : words.join(", ");
}

/** The URL without `https://` and the slash at its end, cut in the middle where it is too long for a row. */
function addressWords(url: string): string {
  const plain = url.replace(/^https:\/\//, "").replace(/\/$/, "");
  return plain.length <= CHARS_MAX ? plain : `${plain.slice(0, CHARS_MAX / 2)}…${plain.slice(-CHARS_MAX / 2 + 1)}`;
}

const CHARS_MAX = 40;
