/**
 * The text of every email to owners: the one that asks whether an address may be notified, and the one about failing
 * destinations, with all that is new in one email, shortened where there is much of it. Pure: the same news makes the
 * same email.
 *
 * The asking email goes to people who may never have heard of us, so it holds nothing of the account but its name, made
 * plain and cut.
 */
import { hash } from "node:crypto";
import type { Notification, NotificationKind } from "../domain/notification.ts";
import { askingName, oneLine } from "../domain/plain-text.ts";
import { minuteInWords } from "../lib/written-times.ts";
import type { ClaimedConfirmation } from "../store/contract/messages.ts";
import type { Mail } from "./mailer.ts";
import {
  buildLink,
  describeFact,
  describeOwner,
  NAME_CHARS_MAX,
  readHost,
  SECTIONS,
  summarize,
} from "./notification-words.ts";

export interface EmailText {
  readonly subject: string;
  readonly text: string;
}

export interface Envelope {
  readonly to: string;
  /** The token of the link that stops email. */
  readonly stopToken: string;
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
}

export const mailLinkUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/${token}`;

/**
 * Mail programs show a button of their own for `List-Unsubscribe`, and press it by a POST (RFC 8058), which is for
 * https only.
 */
export function toMail({ subject, text }: EmailText, { to, stopToken, publicUrl }: Envelope): Mail {
  const url = new URL(publicUrl);
  const oneClick = url.protocol === "https:" ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {};
  return {
    to,
    subject,
    text,
    // An email that is sent again after a crash keeps its id; no other email has it.
    messageId: `<bellwire-${hash("sha256", `${to}\n${subject}\n${text}`).slice(0, 32)}@${url.hostname}>`,
    headers: { "List-Unsubscribe": `<${mailLinkUrl(publicUrl, stopToken)}>`, ...oneClick },
  };
}

export interface ConfirmationLinks {
  readonly publicUrl: string;
  readonly token: string;
  readonly stopToken: string;
}

export function confirmationEmail(
  { accountName, untilMs }: Pick<ClaimedConfirmation, "accountName" | "untilMs">,
  { publicUrl, token, stopToken }: ConfirmationLinks,
): EmailText {
  const lines = [
    "An account of this service wants to send e-mail to this address when its webhooks fail.",
    "",
    `Account: ${askingName(accountName)}`,
    `Service: ${new URL(publicUrl).host}`,
    "",
    "If you want these emails, open this page and confirm:",
    mailLinkUrl(publicUrl, token),
    "",
    `The link works once, until ${minuteInWords(untilMs)}. Opening it changes nothing.`,
    "If you do not know the account, do nothing: you get no other emails than this question unless you confirm.",
    "",
    "-- ",
    "Do not let this account ask again:",
    mailLinkUrl(publicUrl, stopToken),
  ];
  return { subject: "Confirm this address for e-mail about failing webhooks", text: lines.join("\n") };
}

export type NotifiedAccount = Pick<Notification, "lines" | "counts"> & { readonly accountName: string };

export interface NotificationLinks {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly stopToken: string;
}

export function notificationEmail(
  notification: NotifiedAccount,
  { publicUrl, stopToken }: NotificationLinks,
): EmailText {
  const { counts } = notification;
  const lines = [
    ...SECTIONS.flatMap(([kind, title]) => writeSection(notification, { kind, title, publicUrl })),
    ...(counts.failing + counts.still_failing > 0 ? [...WHILE_FAILING, ""] : []),
    ...(counts.turned_off > 0 ? [...WHILE_OFF, ""] : []),
    ...(counts.certificate_ends > 0 ? [...BEFORE_THE_END, ""] : []),
    `All webhooks: ${publicUrl}/`,
    "",
    "-- ",
    `A reader of this address has confirmed it for the account ${oneLine(notification.accountName, NAME_CHARS_MAX)}.`,
    `Stop these emails: ${mailLinkUrl(publicUrl, stopToken)}`,
  ];
  return { subject: summarize(notification), text: lines.join("\n") };
}

const WHILE_FAILING = [
  "While a webhook fails nothing is lost: its deliveries wait and are sent again by themselves. If every attempt",
  "fails for five days, it is turned off until a person turns it on again.",
];

const WHILE_OFF = [
  "Deliveries to a webhook that is turned off are kept for 14 days. Repair the receiver, then turn the webhook on in",
  "the dashboard.",
];

const BEFORE_THE_END = [
  "A receiver that asks for a client certificate refuses one that has ended. Webhooks to it fail from then on, and",
  "wait until the certificate is replaced.",
];

export interface Section {
  readonly kind: NotificationKind;
  readonly title: string;
  readonly publicUrl: string;
}

function writeSection({ lines, counts }: NotifiedAccount, { kind, title, publicUrl }: Section): string[] {
  const shown = lines.filter((line) => line.kind === kind);
  if (shown.length === 0) return [];
  const left = counts[kind] - shown.length;
  return [
    `${title} (${counts[kind]})`,
    ...shown.flatMap((line) => [
      `- ${readHost(line)}, ${describeOwner(line)}`,
      `  ${describeFact(line)}`,
      `  ${buildLink(line, publicUrl)}`,
    ]),
    ...(left > 0 ? [`- and ${left} more: ${publicUrl}/`] : []),
    "",
  ];
}
