/**
 * Reads a client certificate and its private key as a person pasted them, with the TLS that will present them: a text
 * that passes here can be presented. Every refusal says what is wrong and what would be right; none repeats a key.
 */
import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { ClientCertificate } from "../domain/authentication.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { errorWords } from "../lib/fault-words.ts";
import { refuseSlowKey } from "./slow-keys.ts";

/** The facts of a certificate that a person checks it by. */
export interface CertificateFacts {
  /** `CN=bellwire-client, O=Acme Inc` */
  readonly subject: string;
  readonly issuer: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const CHAIN_MAX = 10;

/** The certificates of the text, the client's own one first; or the end of a sentence that begins with the field. */
function parseChain(text: string): Result<readonly [X509Certificate, ...X509Certificate[]], string> {
  if (text.trim() === "") return refuse("is empty; paste the certificate in PEM form");
  if (text.length > LIMITS.certificateCharsMax) {
    return refuse(`has ${text.length} characters; at most ${LIMITS.certificateCharsMax} are taken`);
  }
  if (text.includes("PRIVATE KEY")) return refuse("has a private key in it; paste that into the field for the key");
  const [own, ...issuers] = text.match(CERTIFICATE_BLOCK) ?? [];
  if (own === undefined) return refuse(notAChain(text));
  if (issuers.length >= CHAIN_MAX)
    return refuse(`has ${issuers.length + 1} certificates; at most ${CHAIN_MAX} are sent`);
  const first = parseCertificate(own);
  if (!first.ok) return first;
  const rest: X509Certificate[] = [];
  for (const block of issuers) {
    const parsed = parseCertificate(block);
    if (!parsed.ok) return parsed;
    rest.push(parsed.value);
  }
  return ok([first.value, ...rest]);
}

/** For the mistakes that people make most. */
function notAChain(text: string): string {
  if (text.includes("-----BEGIN CERTIFICATE-----"))
    return "lacks its last line, -----END CERTIFICATE-----; paste all of it";
  if (text.includes("CERTIFICATE REQUEST"))
    return "is a request for a certificate; paste what the authority made of it";
  return (
    "is not a certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----; " +
    "of a .p12 or .der file make it with openssl pkcs12 -nokeys, or openssl x509 -inform der"
  );
}

function parseCertificate(block: string): Result<X509Certificate, string> {
  try {
    return ok(new X509Certificate(block));
  } catch {
    return refuse("cannot be read as a certificate; paste the whole of it, from BEGIN to END");
  }
}

/** The facts of the chain's first certificate. */
export function readCertificateFacts(chain: string): Result<CertificateFacts, string> {
  const parsed = parseChain(chain);
  if (!parsed.ok) return parsed;
  const [{ subject, issuer, validFrom, validTo }] = parsed.value;
  return ok({
    subject: onOneLine(subject),
    issuer: onOneLine(issuer),
    validFromMs: Date.parse(validFrom),
    validToMs: Date.parse(validTo),
  });
}

/** Node writes each attribute of a name on a line of its own; an empty name is none at all. */
const onOneLine = (name: string | undefined): string => (name ?? "").split("\n").join(", ");

export interface RefusedCertificate {
  readonly field: "chain" | "key";
  readonly message: string;
}

/** `null` when TLS can present it now. */
export function refuseCertificate({ chain, key }: ClientCertificate, nowMs: number): RefusedCertificate | null {
  const parsed = parseChain(chain);
  if (!parsed.ok) return { field: "chain", message: parsed.error };
  const [own] = parsed.value;
  const validToMs = Date.parse(own.validTo);
  if (validToMs <= nowMs) return { field: "chain", message: `has expired (${own.validTo}); get a new one` };
  const opened = parseKey(key);
  if (!opened.ok) return { field: "key", message: opened.error };
  const slow = refuseSlowKey(opened.value);
  if (slow !== null) return { field: "key", message: slow };
  if (!own.checkPrivateKey(opened.value)) {
    return { field: "key", message: "does not belong to this certificate; paste the key that it was made with" };
  }
  const context = openContext({ chain, key });
  return context === null ? null : { field: "chain", message: `cannot be used: ${context}` };
}

function parseKey(text: string): Result<KeyObject, string> {
  if (text.trim() === "") return refuse("is empty; paste the certificate's private key in PEM form");
  if (text.length > LIMITS.certificateKeyCharsMax) {
    return refuse(`has ${text.length} characters; at most ${LIMITS.certificateKeyCharsMax} are taken`);
  }
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text)) {
    return refuse("is locked with a passphrase; remove it with: openssl pkey -in key.pem -out open.pem");
  }
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return refuse(notAKey(text));
  }
  if (text.includes("OPENSSH")) return refuse("is a key of OpenSSH; make PEM of it with: ssh-keygen -p -m PEM -f key");
  if (!/-----END [A-Z ]*PRIVATE KEY-----/.test(text)) return refuse("lacks its last line, -----END …; paste all of it");
  try {
    return ok(createPrivateKey(text));
  } catch {
    return refuse("cannot be read as a private key; paste the whole of it, from BEGIN to END");
  }
}

function notAKey(text: string): string {
  if (text.includes("BEGIN CERTIFICATE")) return "is a certificate; paste the private key that belongs to it";
  if (text.includes("PUBLIC KEY")) return "is a public key; paste the private key that belongs to the certificate";
  return "is not a private key in PEM form, which begins with -----BEGIN PRIVATE KEY-----";
}

/** TLS has rules of its own, such as the shortest key that it takes. Its messages never have the key in them. */
function openContext({ chain, key }: ClientCertificate): string | null {
  try {
    createSecureContext({ cert: chain, key });
    return null;
  } catch (error) {
    return errorWords(error);
  }
}
