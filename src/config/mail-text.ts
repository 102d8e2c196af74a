/** Parses the settings of e-mail. A mail server's address may carry a password, so no message repeats it. */
import { ok, refuse } from "../domain/problem.ts";
import type { Parsed } from "./option-text.ts";

/** `smtp://` (with STARTTLS where the server offers it) or `smtps://`; `null` when it is not set. */
export function parseSmtpUrl(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const url = URL.parse(text);
  const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length <= 1;
  if (isServer) return ok(text);
  return refuse(["must be the address of a mail server, such as smtp://name:password@mail.example.com:587"]);
}

/** `name@example.com`, or with a name before it: `Bellwire <name@example.com>`. */
export function parseMailFrom(text: string): Parsed<string> {
  const [, address = text] = /^[^<>\r\n]*<([^<>]+)>$/.exec(text) ?? [];
  if (/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address) && !/[\r\n]/.test(text)) return ok(text);
  return refuse([`${JSON.stringify(text)} must be an e-mail address, such as Bellwire <webhooks@example.com>`]);
}
