/** How far "Send what waits now" is, in words. Pure: figures of the service, never guessed ones. */
import type { DestinationHealthView } from "../../../src/dashboard/contract/destinations.ts";
import { number } from "../../words.ts";
import { failureCode } from "./health-words.ts";

export interface Sending {
  /** The health at the press, and as it is now. */
  readonly first: DestinationHealthView;
  readonly now: DestinationHealthView;
}

/** `trying`: the first one is under way; `failed`: it met a failure, and the others wait. */
export type SendingState = "trying" | "going" | "done" | "failed";

export function findSendingState({ first, now }: Sending): SendingState {
  if (now.waiting.count === 0) return "done";
  if (now.lastFailure !== null && now.lastFailure.atMs !== first.lastFailure?.atMs) return "failed";
  return now.waiting.count === first.waiting.count ? "trying" : "going";
}

/** "252 on their way; 12 left". */
export function sendingWords(sending: Sending): string {
  const { first, now } = sending;
  const total = countWords(first.waiting, "More");
  switch (findSendingState(sending)) {
    case "done":
      return doneWords(first.waiting);
    case "trying":
      if (first.waiting.count === 1) return "It is on its way.";
      // A count that stands at its bound cannot show that the first has arrived.
      return first.waiting.isCapped ? `${total} on their way.` : `${total} on their way; one is tried first.`;
    case "going":
      return `${total} on their way; ${countWords(now.waiting, "more")} left.`;
    case "failed":
      return `It failed again: ${failureCode(now.lastFailure?.code ?? "")}. ${stillWait(now)}`;
  }
}

function doneWords({ count: waited, isCapped }: DestinationHealthView["waiting"]): string {
  if (waited === 1) return "What waited was sent.";
  return isCapped ? "Everything that waited was sent." : `All ${number(waited)} were sent.`;
}

/** `more` begins a sentence, or does not. */
const countWords = ({ count: waiting, isCapped }: DestinationHealthView["waiting"], more: "More" | "more"): string =>
  `${isCapped ? `${more} than ` : ""}${number(waiting)}`;

const stillWait = ({ waiting }: DestinationHealthView): string =>
  waiting.count === 1 ? "It still waits." : `${countWords(waiting, "More")} still wait.`;

/** "Send what waits now (252)". */
export const sendLabel = ({ waiting }: DestinationHealthView): string =>
  `Send what waits now (${number(waiting.count)}${waiting.isCapped ? "+" : ""})`;

/** "252 deliveries wait" is a link to just these. */
export const waitingHref = (destinationId: string): string =>
  `/deliveries?destination=${encodeURIComponent(destinationId)}&status=waiting,retrying`;
