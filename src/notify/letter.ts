/**
 * The common parts of every letter besides its text: one way to stop them, and an id that is the same for the same
 * letter.
 */
import { hash } from "node:crypto";
import type { Mail } from "./mailer.ts";

export interface Letter {
  readonly subject: string;
  readonly text: string;
}

export interface Envelope {
  readonly to: string;
  /** The token of the link that stops letters. */
  readonly stopToken: string;
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
}

export const mailLinkUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/${token}`;

/**
 * Mail programs show a button of their own for `List-Unsubscribe`, and press it by a POST (RFC 8058), which is for
 * https only.
 */
export function toMail({ subject, text }: Letter, { to, stopToken, publicUrl }: Envelope): Mail {
  const url = new URL(publicUrl);
  const oneClick = url.protocol === "https:" ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {};
  return {
    to,
    subject,
    text,
    // A letter that is sent again after a crash keeps its id; no other letter has it.
    messageId: `<bellwire-${hash("sha256", `${to}\n${subject}\n${text}`).slice(0, 32)}@${url.hostname}>`,
    headers: { "List-Unsubscribe": `<${mailLinkUrl(publicUrl, stopToken)}>`, ...oneClick },
  };
}

/** The reader's time zone is unknown, so the zone is named. */
export const inWords = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
