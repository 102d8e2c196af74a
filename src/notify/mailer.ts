/**
 * E-mail through the operator's own server. Its address comes from the settings and from nowhere else, which is why the
 * egress guard has no say here: an account's owner can choose who gets a message, never which machine is called.
 */
import { createTransport } from "nodemailer";
import { secondsMs } from "../lib/duration.ts";

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same for the same mail however often it is sent, so that a mailbox can fold repeats. */
  readonly messageId: string;
}

export interface Mailer extends AsyncDisposable {
  /** Rejects when the server did not take it; trying again later may help. */
  send(mail: Mail): Promise<void>;
}

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
      // One letter for each, so that no owner sees whom else the account has named.
      for (const address of to) await transport.sendMail({ to: address, subject, text, messageId });
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}
