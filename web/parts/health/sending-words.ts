/** How far "Send what waits now" is, in words. Pure: figures of the service, never guessed ones. */
import type { DestinationHealthView } from "../../../src/dashboard/contract/destinations.ts";
import { number } from "../../words.ts";
import { failureCode } from "./health-words.ts";

export interface Sending {
  /** The health right after the press, and as it is now. */
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
  const total = countWords(first.waiting);
  switch (findSendingState(sending)) {
    case "done":
      return first.waiting.count === 1 ? "What waited was sent." : `All ${total} were sent.`;
    case "trying":
      return first.waiting.count === 1 ? "It is on its way." : `${total} on their way; one is tried first.`;
    case "going":
      return `${total} on their way; ${countWords(now.waiting)} left.`;
    case "failed":
      return `It failed again: ${failureCode(now.lastFailure?.code ?? "")}. ${stillWait(now)}`;
  }
}

const countWords = ({ count: waiting, isCapped }: DestinationHealthView["waiting"]): string =>
  `${isCapped ? "more than " : ""}${number(waiting)}`;

const stillWait = ({ waiting }: DestinationHealthView): string =>
  waiting.count === 1 ? "It still waits." : `${countWords(waiting)} still wait.`;

/** "Send what waits now (252)". */
export const sendLabel = ({ waiting }: DestinationHealthView): string =>
  `Send what waits now (${number(waiting.count)}${waiting.isCapped ? "+" : ""})`;

/** "252 deliveries wait" is a link to just these. */
export const waitingHref = (destinationId: string): string =>
  `/deliveries?destination=${encodeURIComponent(destinationId)}&status=waiting,retrying`;
