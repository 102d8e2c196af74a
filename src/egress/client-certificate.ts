/**
 * Client certificates: reads a certificate and its private key as a person pasted them, with the TLS that will present
 * them, so that a text that passes here can be presented. Every refusal says what is wrong and what would be right;
 * none repeats a key. The last part explains the TLS alerts of receivers that refuse a certificate.
 */
import { type KeyObject, X509Certificate, checkPrime, createPrivateKey } from "node:crypto";
import { createSecureContext } from "node:tls";
import { promisify } from "node:util";
import type { ClientCertificate } from "../domain/authentication.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { errorWords } from "../lib/fault-words.ts";

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

/**
 * Alerts of receivers whose TLS refuses the client certificate or misses one. Node names an alert by the end of a code
 * (`ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED`); what stands before it differs between versions.
 */
const ALERTS: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: "The receiver wants a client certificate, and got none.",
  BAD_CERTIFICATE: "The receiver refused the client certificate: it is bad, or there is none.",
  UNSUPPORTED_CERTIFICATE: "The receiver refused the client certificate: it does not take this kind.",
  CERTIFICATE_REVOKED: "The receiver refused the client certificate: it was revoked.",
  CERTIFICATE_EXPIRED: "The receiver refused the client certificate: it has expired.",
  CERTIFICATE_UNKNOWN: "The receiver refused the client certificate: it cannot accept it.",
  UNKNOWN_CA: "The receiver refused the client certificate: it does not know its issuer.",
  ACCESS_DENIED: "The receiver refused the client certificate: its owner has no access.",
};

/** The alert's name; `null` for a code that says nothing about the client's certificate. */
export function findCertificateAlert(code: string): string | null {
  const [, name] = /_ALERT_([A-Z_]+)$/.exec(code) ?? [];
  return name !== undefined && name in ALERTS ? name : null;
}

export function alertWords(code: string): string | null {
  const alert = findCertificateAlert(code);
  return alert === null ? null : (ALERTS[alert] ?? null);
}

/*
 * Which private keys may sign for an account. The signature is made on the event loop at each handshake, and a key that
 * is built for it takes 300 ms with 8 KiB of text: by its size, by parts that do not fit each other, by factors that
 * are no primes, or by its kind.
 */
const KINDS: ReadonlySet<string> = new Set(["rsa", "ec", "ed25519", "ed448"]);

const RSA_BITS_MAX = 4096;

/** 65537 in practice. OpenSSL checks each signature with it, so a long one costs as much as the signature. */
const RSA_EXPONENT_MAX = 2n ** 32n;

/** As Node names them: P-256, P-384 and P-521, the curves of TLS 1.3. */
const CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** Factors are equally long in practice, to the bit. Guess. */
const FACTOR_BITS_SLACK = 8;

const RIGHT = "use RSA with 2,048 to 4,096 bits, EC (P-256, P-384 or P-521) or Ed25519";

/** The end of a sentence that begins with the key; `null` when it may sign. `refuseFactors` looks at the rest. */
export function refuseSlowKey(key: KeyObject): string | null {
  const { asymmetricKeyType: kind = "unknown", asymmetricKeyDetails: { namedCurve = "unknown" } = {} } = key;
  if (!KINDS.has(kind)) return `is of a kind (${kind}) that is not signed with here; ${RIGHT}`;
  if (kind === "ec" && !CURVES.has(namedCurve)) return `is of another curve (${namedCurve}); ${RIGHT}`;
  return kind === "rsa" ? refuseRsa(key) : null;
}

function refuseRsa(key: KeyObject): string | null {
  const { modulusLength: bits = Infinity, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (bits > RSA_BITS_MAX) return `has ${bits} bits, so each signature would take too long; ${RIGHT}`;
  if (publicExponent > RSA_EXPONENT_MAX) return `has a public exponent above 2^32; ${RIGHT}, with the exponent 65537`;
  return hasFittingParts(key, bits) ? null : `is not an ordinary RSA key: its parts do not fit each other; ${RIGHT}`;
}

/** A signature is quick with two factors of about half the length, and the exponents that belong to them. */
function hasFittingParts(key: KeyObject, bits: number): boolean {
  const jwk = key.export({ format: "jwk" });
  const part = (name: "n" | "e" | "d" | "p" | "q" | "dp" | "dq" | "qi"): bigint =>
    BigInt(`0x${Buffer.from(jwk[name] ?? "", "base64url").toString("hex") || "0"}`);
  const [n, e, d, p, q] = [part("n"), part("e"), part("d"), part("p"), part("q")];
  const factorMax = 2n ** BigInt(Math.ceil(bits / 2) + FACTOR_BITS_SLACK);
  if (p * q !== n || p > factorMax || q > factorMax || d >= n) return false;
  const fits = (exponent: bigint, factor: bigint): boolean =>
    d % (factor - 1n) === exponent && (e * exponent) % (factor - 1n) === 1n;
  return fits(part("dp"), p) && fits(part("dq"), q) && (q * part("qi")) % p === 1n;
}

const isPrime = promisify(checkPrime);

/**
 * The same for a key that passes `refuseCertificate`, once, when it is saved: both factors of 2,048 bits take a second
 * (measured), in a thread of their own.
 */
export async function refuseFactors(text: string): Promise<string | null> {
  const key = createPrivateKey(text);
  if (key.asymmetricKeyType !== "rsa") return null;
  const { p = "", q = "" } = key.export({ format: "jwk" });
  for (const factor of [p, q]) {
    const isOrdinary = await isPrime(Buffer.from(factor, "base64url"));
    if (!isOrdinary) return `is not an ordinary RSA key: a factor of it is no prime; ${RIGHT}`;
  }
  return null;
}
