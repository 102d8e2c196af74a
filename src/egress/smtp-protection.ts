/**
 * Decides how the mail server's password is protected on the network. Pure; the mailer obeys it, the doctor reports it.
 */

/**
 * - `tls`: encrypted from the first byte (`smtps://`).
 * - `starttls`: the connection is encrypted before anything else is sent, or it is given up.
 * - `loopback`, `no_password`: the network cannot read a password here; STARTTLS is used where it is offered.
 */
export type SmtpProtection = "tls" | "starttls" | "loopback" | "no_password";

/** Only these: a name that merely leads here, such as one from the hosts file, may lead elsewhere tomorrow. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

export function readSmtpProtection(smtpUrl: string): SmtpProtection {
  const { protocol, username, password, hostname } = new URL(smtpUrl);
  if (protocol === "smtps:") return "tls";
  if (username === "" && password === "") return "no_password";
  return LOOPBACK.test(hostname) ? "loopback" : "starttls";
}

/** Host and port for messages: the rest of the address can be a secret. */
export function smtpPlace(smtpUrl: string): string {
  const { protocol, hostname, port } = new URL(smtpUrl);
  return `${hostname}:${port === "" ? (protocol === "smtps:" ? "465" : "587") : port}`;
}
