/** What lists of events say: counts of deliveries, why a list is empty, and why an event was not sent. Pure. */
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { number } from "../../words.ts";

/** Failures come first, because they need somebody; then those under way. */
export function deliveryCounts({ total, delivered, failed }: EventRow["deliveries"]): {
  readonly words: string;
  readonly tone: "ok" | "bad" | "quiet";
} {
  if (total === 0) return { words: "None", tone: "quiet" };
  if (failed > 0) return { words: failed === total ? all(failed, "failed") : of(failed, total, "failed"), tone: "bad" };
  if (delivered === total) return { words: all(delivered, "delivered"), tone: "ok" };
  return {
    words: delivered === 0 ? `${number(total)} not delivered` : of(delivered, total, "delivered"),
    tone: "quiet",
  };
}

const all = (count: number, word: string): string => `${number(count)} ${word}`;
const of = (count: number, total: number, word: string): string => `${number(count)} of ${number(total)} ${word}`;

/* The words of an empty list of sessions or conversations. Pure. */

/**
 * Why the list is empty; `what`: "session". A list that was read in part claims nothing of the rest: the line above it
 * says how far back that came.
 */
export function noMatch(search: URLSearchParams, what: string, isPart: boolean): string {
  if (isPart) return "“Older” looks further back.";
  const q = search.get("q") ?? "";
  const [which, where] = search.has("webhook") ? [" that is meant for it", "it"] : ["", "every webhook that there was"];
  if (q === "") return `Every ${what}${which} went to ${where}.`;
  const missing = `No ${what} has all the words of “${q}”, and none has it as its id`;
  return search.has("not_sent") ? `${missing}, among those that a webhook did not get.` : `${missing}.`;
}

/* The reasons for which a session or conversation was not sent, in a line. Its page has the rest. Pure. */

/** Reasons that a row has room for. */
const SHOWN_MAX = 2;

export function notSentInWords({ webhooks, more }: NotSentView, marks: ReadonlyMap<string, string>): string {
  if (webhooks.length === 0) return "No webhook was set up for it.";
  const sentences = webhooks.slice(0, SHOWN_MAX).map(({ destination, why }) => {
    const mark = marks.get(destination?.id ?? "");
    const name = destination?.owner.name ?? "a deleted webhook";
    return `Not sent to ${mark === undefined ? name : `${name} (${mark})`}: ${why}.`;
  });
  const others = webhooks.length - sentences.length + more;
  return [...sentences, ...(others === 0 ? [] : [`And ${number(others)} more.`])].join(" ");
}
