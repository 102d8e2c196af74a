/** The words of the messages that an owner gets about a destination. Pure: the same notice makes the same letter. */
import type { StoredNotice } from "../store/dashboard-verbs.ts";

export interface Letter {
  readonly subject: string;
  readonly text: string;
}

/** `publicUrl` is the dashboard's address, without a slash at its end. */
export function failureLetter(notice: StoredNotice, publicUrl: string): Letter {
  const { subject, lines } = wordsOf(notice);
  const link = `${publicUrl}${pathOf(notice.destination)}`;
  const footer = `You get this because the account ${oneLine(notice.accountName)} names this address for failures.`;
  return {
    subject,
    text: [...lines, "", `Look at it: ${link}`, "", "-- ", footer, `Change that: ${publicUrl}/settings/account`].join(
      "\n",
    ),
  };
}

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
}

function wordsOf(notice: StoredNotice): Words {
  const { destination } = notice;
  const host = new URL(destination.url).host;
  const kind = destination.owner.kind === "alert" ? "Alert" : "Chat assistant";
  const owner = `${kind}: ${oneLine(destination.owner.name)}`;
  switch (notice.kind) {
    case "failing":
      return {
        subject: `Webhooks to ${host} are failing`,
        lines: [
          `Deliveries to ${host} have failed since ${inWords(destination.failingSinceMs ?? notice.atMs)}.`,
          owner,
          ...lastAnswer(destination),
          "",
          "Nothing is lost: they wait and are sent again by themselves. If every attempt fails for five days, the",
          "webhook is turned off until somebody turns it on again.",
        ],
      };
    case "turned_off":
      return {
        subject: `Webhooks to ${host} are turned off`,
        lines: [
          `${reasonOff(destination.offReason, host)} It was turned off at ${inWords(notice.atMs)}.`,
          owner,
          ...lastAnswer(destination),
          "",
          "What happens meanwhile is kept for 14 days. Mend the receiver, then turn the webhook on in the dashboard.",
        ],
      };
    case "recovered":
      return {
        subject: `Webhooks to ${host} arrive again`,
        lines: [`${host} has accepted a delivery at ${inWords(notice.atMs)}. What waited is being sent now.`, owner],
      };
  }
}

function reasonOff(reason: StoredNotice["destination"]["offReason"], host: string): string {
  if (reason === "gone") return `${host} answered 410 Gone, which means that the webhook is no longer wanted.`;
  return `Every delivery to ${host} has failed for five days.`;
}

function lastAnswer({ lastFailure }: StoredNotice["destination"]): string[] {
  if (lastFailure === null) return [];
  const answer = lastFailure.status === null ? lastFailure.outcome.replaceAll("_", " ") : String(lastFailure.status);
  return [`Last answer: ${answer}, at ${inWords(lastFailure.atMs)}`];
}

function pathOf({ owner }: StoredNotice["destination"]): string {
  const id = encodeURIComponent(owner.id);
  return owner.kind === "alert" ? `/settings/alerts/${id}` : `/assistants/${id}?tab=integrations`;
}

/** A reader's time zone is not known here, so it is named. */
const inWords = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Names come from outside: none may start a line, or a header, of its own. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
