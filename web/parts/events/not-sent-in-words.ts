/** The reasons for which a session or conversation was not sent, in a line. Its page has the rest. Pure. */
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import { number } from "../../words.ts";

/** Reasons that a row has room for. */
const SHOWN_MAX = 2;

export function notSentInWords({ webhooks, more }: NotSentView): string {
  if (webhooks.length === 0) return "No webhook was set up for it.";
  const sentences = webhooks.slice(0, SHOWN_MAX).map(({ destination, why }) => {
    const name = destination?.owner.name ?? "a deleted webhook";
    return `Not sent to ${name}: ${why}.`;
  });
  const others = webhooks.length - sentences.length + more;
  return [...sentences, ...(others === 0 ? [] : [`And ${number(others)} more.`])].join(" ");
}
