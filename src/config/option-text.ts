/**
 * Parses a setting's text into its value, one function for each kind. A refusal says what was given and what would be
 * right. A text that may be a secret, or may carry one (a database's address, a URL with a password), is never
 * repeated.
 */
import { statSync } from "node:fs";
import { reasonReserved } from "../domain/reserved-headers.ts";
import { LIMITS } from "../domain/limits.ts";
import { ok } from "../lib/result.ts";
import { pasteFault } from "../lib/pasted.ts";
import { SEAL_KEY_BYTES } from "../lib/seal.ts";
import { no, parseAddress, type Parsed, quote } from "../lib/settings/option-text.ts";
import { unencodedFault } from "../lib/unencoded.ts";

/** The place of the store. The path `:memory:` means a store that ends with the process. `url` may carry a password. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

export function parseDatabase(text: string): Parsed<DatabaseLocation> {
  if (/^postgres(ql)?:/i.test(text)) return parsePostgresUrl(text);
  if (text.startsWith("sqlite://")) return no("has slashes too many; write sqlite:/var/lib/bellwire/bellwire.db");
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (path !== "") return ok({ kind: "sqlite", path });
  if (/^jdbc:|^psql\s|\b(?:host|dbname)\s*=/i.test(text)) {
    return no(`is written for another program; write it as an address, such as ${POSTGRES_EXAMPLE}`);
  }
  return no("must be sqlite: and the path of a file, such as sqlite:data/bellwire.db, or a postgres:// address");
}

const POSTGRES_EXAMPLE = "postgres://user:password@host:5432/database";

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** Its client reads them whole, whatever they are. */
const FILES_OF_TLS = ["sslcert", "sslkey", "sslrootcert"];

function isNoFile(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    // The client says of one that is not there, or closed to this user, what is wrong.
    return false;
  }
}

/** The text may hold a password, so no message repeats it. */
function parsePostgresUrl(text: string): Parsed<DatabaseLocation> {
  if (!/^postgres(ql)?:\/\//i.test(text)) return no(`needs two slashes behind its colon: ${POSTGRES_EXAMPLE}`);
  const url = URL.parse(text);
  const unencoded = unencodedFault(text, POSTGRES_EXAMPLE);
  if (unencoded !== null) return no(unencoded);
  if (/^postgres(?:ql)?:\/\/(?:.*@)?[^/?#]*,/i.test(text))
    return no("names several hosts; write one that always leads to the server that takes writes");
  if (url === null) return no(`is no address; write one such as ${POSTGRES_EXAMPLE}, with digits for the port`);
  if (url.pathname.length < 2) return no(`names no database; write one such as ${POSTGRES_EXAMPLE}`);
  if (url.hostname === "" && !url.searchParams.has("host")) {
    return no(`names no host; write one such as ${POSTGRES_EXAMPLE}, or ?host= and the folder of a socket`);
  }
  const endless = FILES_OF_TLS.find((name) => isNoFile(url.searchParams.get(name) ?? ""));
  if (endless !== undefined) return no(`names something by ${endless} that is no file; write the path of a file`);
  if (url.searchParams.has("options"))
    return no("must not have options: Bellwire sets those of its connections itself");
  const port = url.searchParams.get("port");
  if (port !== null && !(/^\d+$/.test(port) && Number(port) <= 65_535))
    return no("has a port that is no number of one");
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode))
    return no(`has an unknown sslmode; write one of ${SSL_MODES.join(", ")}`);
  return ok({ kind: "postgres", url: text });
}

/** The printable form: without the password, and with only the parameter that names a place. */
export function showDatabase(database: DatabaseLocation): string {
  if (database.kind === "sqlite") return `sqlite:${database.path}`;
  const { protocol, username, password, host, pathname, searchParams } = new URL(database.url);
  const user = password === "" ? username : `${username}:(not shown)`;
  const folder = searchParams.get("host");
  return `${protocol}//${user === "" ? "" : `${user}@`}${host}${pathname}${folder === null ? "" : `?host=${folder}`}`;
}

/** Of the operator's own webhook. Trusted: unlike an owner's Webhook URL it may lead to a private address. */
export function parseOperatorUrl(text: string): Parsed<string | null> {
  const charsMax = LIMITS.urlCharsMax;
  const demand = `must be an address such as https://alerts.example.com/bellwire, of at most ${charsMax} characters`;
  const address = parseAddress(text, { demand, charsMax });
  if (!address.ok || address.value === null) return address as Parsed<null>;
  return address.value.hash === "" ? ok(address.value.href) : no("must not have a fragment (#…)");
}

/** Standard Webhooks: fewer bytes could be guessed, and SHA-256 hashes down more than one block anyway. */
const SIGNING_KEY_BYTES = { min: 24, max: 64 } as const;

export function parseOperatorSecret(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const pasted = pasteFault(text, { kind: "token", isSecret: true });
  if (pasted !== null) return no(pasted);
  const encoded = text.startsWith("whsec_") ? text.slice("whsec_".length) : "";
  const key = Buffer.from(encoded, "base64");
  const { min, max } = SIGNING_KEY_BYTES;
  // Decoding is lenient, so only a text that encodes back to itself is accepted.
  if (key.toString("base64") === encoded && key.length >= min && key.length <= max) return ok(text);
  return no(
    `must be whsec_ and the base64 of ${min} to ${max} bytes; make one with: echo whsec_$(openssl rand -base64 32)`,
  );
}

/** The key for secrets at rest; `null` when not set. */
export function parseEncryptionKey(text: string): Parsed<Uint8Array | null> {
  if (text === "") return ok(null);
  const bytes = Buffer.from(text, "base64");
  // Decoding is lenient, so only a text that encodes back to itself is accepted.
  if (bytes.length === SEAL_KEY_BYTES && bytes.toString("base64") === text) return ok(new Uint8Array(bytes));
  if (/^[\da-f]{64}$/i.test(text)) {
    return no("is written in hexadecimal; write the same bytes in base64: echo <key> | xxd -r -p | base64");
  }
  const ordinary = bytes.toString("base64");
  if (bytes.length === SEAL_KEY_BYTES && text.replaceAll("-", "+").replaceAll("_", "/") === ordinary.replace(/=+$/, ""))
    return no("is in the URL's variant of Base64: write + in place of -, / in place of _, and = at its end");
  if (text.startsWith("whsec_")) return no("is a secret for signatures (whsec_…); the encryption key is another one");
  const isBase64 = bytes.length > 0 && bytes.toString("base64") === text;
  const size = isBase64 ? ` (this is one of ${bytes.length})` : "";
  return no(
    `must be the base64 of ${SEAL_KEY_BYTES} bytes${size}; make one with: openssl rand -base64 ${SEAL_KEY_BYTES}`,
  );
}

export function parseFolder(text: string): Parsed<string> {
  return text.includes("\0") ? no("must be the path of a folder, without NUL characters") : ok(text);
}

/** The name of our signature's header: a legal name in lower case without another meaning. */
export function parseSignatureHeader(text: string): Parsed<string> {
  const longest = LIMITS.headerNameCharsMax;
  if (!/^[a-z0-9][a-z0-9-]*$/.test(text) || text.length > longest) {
    return no(`${quote(text)} must have lower-case letters, digits and hyphens only, at most ${longest} of them`);
  }
  // `authorization` is legal for owners' custom headers, and a signature there would take the name from them.
  if (reasonReserved(text, "") !== null || text === "authorization") {
    return no(
      `${quote(text)} has a meaning of its own in HTTP, for proxies or in Standard Webhooks; ` +
        "write one such as x-acme-signature",
    );
  }
  return ok(text);
}

/* Parses the settings of e-mail. A mail server's address may carry a password, so no message repeats it. */

const SMTP_EXAMPLE = "smtp://name:password@mail.example.com:587";

/** `smtp://` (with STARTTLS where the server offers it) or `smtps://`; `null` when it is not set. */
export function parseSmtpUrl(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const url = URL.parse(text);
  const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length <= 1;
  const unencoded = unencodedFault(text, SMTP_EXAMPLE);
  if (unencoded !== null) return no(unencoded);
  return isServer ? ok(text) : no(`must be the address of a mail server, such as ${SMTP_EXAMPLE}`);
}

/** `name@example.com`, or with a name before it: `Bellwire <name@example.com>`. */
export function parseMailFrom(text: string): Parsed<string> {
  const [, address = text] = /^[^<>\r\n]*<([^<>]+)>$/.exec(text) ?? [];
  const pasted = pasteFault(address, { kind: "token" });
  if (pasted !== null) return no(pasted);
  if (/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address) && !/[\r\n]/.test(text)) return ok(text);
  return no(`${JSON.stringify(text)} must be an e-mail address, such as Bellwire <webhooks@example.com>`);
}
