/**
 * E-mail through the operator's own server. Its address comes from the settings alone, so the egress guard does not
 * check it: an account's owner can choose who gets a message, never which machine is called.
 */
import type { NodemailerError, Transporter } from "nodemailer";
import { secondsMs } from "../lib/duration.ts";
import { faultWords } from "../lib/fault-words.ts";
import { smtpPlace, readSmtpProtection } from "../egress/smtp-protection.ts";

export interface Mail {
  /** One address: no owner sees the other addresses of the account. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same for every copy of the same mail, so that a mailbox can fold repeats. */
  readonly messageId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer extends AsyncDisposable {
  /** Rejects when the server refused for a reason that may pass; trying again later may help. */
  send(mail: Mail): Promise<Receipt>;
  /** Connects and signs in, and sends nothing. Rejects with the fault. */
  check(): Promise<void>;
}

/** `no_mailbox`: the server knows no mailbox at that address. */
export type Receipt = "taken" | "no_mailbox";

export interface MailerOptions {
  /** `smtp://` or `smtps://`, with name and password where the server asks for them; read again for each mail. */
  readonly smtpUrl: string;
  /** The sender, such as `Bellwire <webhooks@example.com>`. */
  readonly from: string;
}

/** Guess. A server that answers at all answers in a second or two. */
const CONNECT_MS = secondsMs(10);
const SILENCE_MS = secondsMs(30);

export function createMailer(options: MailerOptions): Mailer {
  let { smtpUrl } = options;
  let transport: Promise<Transporter> | null = null;
  const close = async (): Promise<void> => (await transport)?.close();
  async function transportNow(): Promise<Transporter> {
    if (transport !== null && options.smtpUrl !== smtpUrl) {
      void close();
      transport = null;
    }
    ({ smtpUrl } = options);
    return await (transport ??= openTransport(options));
  }
  return {
    async send({ to, subject, text, messageId, headers = {} }) {
      try {
        const now = await transportNow();
        await now.sendMail({ to, subject, text, messageId, headers: { ...AUTOMATIC, ...headers } });
        return "taken";
      } catch (error) {
        if (isWithoutMailbox(error)) return "no_mailbox";
        throw explained(error, smtpUrl);
      }
    },
    async check() {
      const now = await transportNow();
      await now.verify().catch((error: unknown) => {
        throw explained(error, smtpUrl);
      });
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Loads Nodemailer with the first email: most nodes never send one. */
async function openTransport({ smtpUrl, from }: MailerOptions): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const limits = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS };
  // A message can never make it read a file or fetch an address.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const needsTls = readSmtpProtection(smtpUrl) === "starttls" ? { requireTLS: true } : {};
  const options = { ...limits, socketTimeout: SILENCE_MS, ...closed, ...needsTls };
  return createTransport({ url: withoutTlsWords(smtpUrl), ...options }, { from });
}

/** Nodemailer lets the query of an address overrule its options; Bellwire has one setting for that. */
function withoutTlsWords(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const word of ["requireTLS", "ignoreTLS", "opportunisticTLS", "secure", "secured"])
    url.searchParams.delete(word);
  return url.href;
}

/** RFC 3834: holiday notices and the like need not answer. */
const AUTOMATIC = { "Auto-Submitted": "auto-generated" };

/** A sentence that names the server and says what to do; the server's own answer or the code comes last. */
function explained(error: unknown, smtpUrl: string): Error {
  const { code, command } = error as NodemailerError;
  const notEncrypted = command === "STARTTLS" || code === "ETLS";
  if (!notEncrypted) return new Error(reasonOf(error as NodemailerError, smtpPlace(smtpUrl)), { cause: error });
  const message =
    `${smtpPlace(smtpUrl)} could not be reached by STARTTLS, and the password is sent over TLS only. Use smtps://, ` +
    "or let the server offer STARTTLS; a server on this machine, at 127.0.0.1, needs neither.";
  return new Error(message, { cause: error });
}

function reasonOf({ code = "", response, message }: NodemailerError, place: string): string {
  if (code === "EAUTH") return `${place} refuses the name and password in BELLWIRE_SMTP_URL (${response ?? code})`;
  if (response !== undefined) return `${place} refuses the email: ${response}`;
  // Nodemailer has codes of its own, and the system's code in its message.
  return `${place} cannot be used: ${faultWords(/\bE[A-Z_]{5,}\b/.exec(message)?.[0] ?? code)}`;
}

/** RFC 5321 §4.2.3 */
const NO_MAILBOX = new Set([550, 551, 553]);

/** Servers also answer 550 to a sender that they do not accept (RFC 3463: 5.7), which the operator must correct. */
const UNWANTED_SENDER = /^\d{3}[ -]5\.7\./;

function isWithoutMailbox(error: unknown): boolean {
  const { responseCode, response = "" } = error as NodemailerError;
  return isAboutAddress(error) && NO_MAILBOX.has(responseCode ?? 0) && !UNWANTED_SENDER.test(response);
}

/** The server refused this address alone: it may take an email to another one. */
export const isAboutAddress = (error: unknown): boolean =>
  [error, (error as Error).cause].some((each) => (each as NodemailerError | undefined)?.command === "RCPT TO");
