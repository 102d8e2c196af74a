/** What keeps the mail server's password from being read on its way. Pure; the mailer obeys it, the doctor says it. */

export const SMTP_PLAINTEXT = ["refuse", "allow"] as const;

/** `refuse`: the password goes out over TLS only. */
export type SmtpPlaintext = (typeof SMTP_PLAINTEXT)[number];

/**
 * - `tls`: encrypted from the first byte (`smtps://`).
 * - `starttls`: the connection is encrypted before anything is said, or it is given up.
 * - `loopback`, `no_password`: nothing that somebody on the way could take; STARTTLS is used where it is offered.
 * - `allowed`: the operator has said that the password may go out in the clear where STARTTLS is not offered.
 */
export type SmtpProtection = "tls" | "starttls" | "loopback" | "no_password" | "allowed";

/** Only these: a name that merely leads here, such as one of the hosts file, may lead elsewhere tomorrow. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

export function readSmtpProtection(smtpUrl: string, plaintext: SmtpPlaintext): SmtpProtection {
  const { protocol, username, password, hostname } = new URL(smtpUrl);
  if (protocol === "smtps:") return "tls";
  if (username === "" && password === "") return "no_password";
  if (LOOPBACK.test(hostname)) return "loopback";
  return plaintext === "allow" ? "allowed" : "starttls";
}

/** Host and port, as messages may show them: the rest of the address can be a secret. */
export function smtpPlace(smtpUrl: string): string {
  const { protocol, hostname, port } = new URL(smtpUrl);
  return `${hostname}:${port === "" ? (protocol === "smtps:" ? "465" : "587") : port}`;
}
