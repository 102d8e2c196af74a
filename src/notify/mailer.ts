/**
 * E-mail through the operator's own server. Its address comes from the settings and from nowhere else, which is why the
 * egress guard has no say here: an account's owner can choose who gets a message, never which machine is called.
 */
import { createTransport, type NodemailerError } from "nodemailer";
import { secondsMs } from "../lib/duration.ts";

export interface Mail {
  /** One address: no owner sees whom else the account has named. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same for the same mail however often it is sent, so that a mailbox can fold repeats. */
  readonly messageId: string;
}

export interface Mailer extends AsyncDisposable {
  /** Rejects when the server did not take it for a reason that may pass; trying again later may help. */
  send(mail: Mail): Promise<Receipt>;
}

/** `no_mailbox`: the server knows that nobody reads at that address. */
export type Receipt = "taken" | "no_mailbox";

export interface MailerOptions {
  /** `smtp://` or `smtps://`, with name and password where the server asks for them. */
  readonly smtpUrl: string;
  /** The sender, such as `Bellwire <webhooks@example.com>`. */
  readonly from: string;
}

/** A server that answers at all answers in a second or two; guess. */
const CONNECT_MS = secondsMs(10);
const SILENCE_MS = secondsMs(30);

export function createMailer({ smtpUrl, from }: MailerOptions): Mailer {
  const limits = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS };
  // What a message says can never make it read a file or fetch an address.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url: smtpUrl, ...limits, socketTimeout: SILENCE_MS, ...closed }, { from });
  return {
    async send({ to, subject, text, messageId }) {
      try {
        await transport.sendMail({ to, subject, text, messageId });
        return "taken";
      } catch (error) {
        if (isWithoutMailbox(error)) return "no_mailbox";
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}

/** RFC 5321 §4.2.3 */
const NO_MAILBOX = new Set([550, 551, 553]);

/** Servers also answer 550 to a sender whom they do not want (RFC 3463: 5.7); that is the operator's to mend. */
const UNWANTED_SENDER = /^\d{3}[ -]5\.7\./;

function isWithoutMailbox(error: unknown): boolean {
  const { responseCode, response = "" } = error as NodemailerError;
  return isAboutAddress(error) && NO_MAILBOX.has(responseCode ?? 0) && !UNWANTED_SENDER.test(response);
}

/** The server spoke of this address alone: it may take a letter to another one. */
export const isAboutAddress = (error: unknown): boolean => (error as NodemailerError).command === "RCPT TO";
