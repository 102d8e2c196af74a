/**
 * Decides which private keys may sign for an account. The signature is made on the event loop at each handshake, and a
 * key that is built for it takes 300 ms with 8 KiB of text: by its size, by parts that do not fit each other, or by its
 * kind. The form is looked at first, so that the measured signature is a short one. It finds the keys that no rule
 * names.
 */
import { type KeyObject, sign } from "node:crypto";
import { startWatch } from "../lib/thread-time.ts";

const KINDS: ReadonlySet<string> = new Set(["rsa", "ec", "ed25519", "ed448"]);

const RSA_BITS_MAX = 4096;

/** 65537 in practice. OpenSSL checks each signature with it, so a long one costs as much as the signature. */
const RSA_EXPONENT_MAX = 2n ** 32n;

/** As Node names them: P-256, P-384 and P-521, the curves of TLS 1.3. */
const CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** An ordinary RSA key of 4,096 bits takes 3 to 6 ms, one with crafted parts 17 to 29 (measured). */
const SIGNATURE_MS_MAX = 15;

/** One is enough for an ordinary key. A machine that is busy with other things is asked again. */
const SIGNATURES_MAX = 3;

/** Factors are equally long in practice, to the bit. Guess. */
const FACTOR_BITS_SLACK = 8;

const ANY_BYTES = Buffer.alloc(32);

const RIGHT = "use RSA with 2,048 to 4,096 bits, EC (P-256, P-384 or P-521) or Ed25519";

/** The end of a sentence that begins with the key; `null` when it may sign. */
export function refuseSlowKey(key: KeyObject): string | null {
  const { asymmetricKeyType: kind = "unknown", asymmetricKeyDetails: { namedCurve = "unknown" } = {} } = key;
  if (!KINDS.has(kind)) return `is of a kind (${kind}) that is not signed with here; ${RIGHT}`;
  if (kind === "ec" && !CURVES.has(namedCurve)) return `is of another curve (${namedCurve}); ${RIGHT}`;
  return (kind === "rsa" ? refuseRsa(key) : null) ?? refuseSlowSignature(key);
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

function refuseSlowSignature(key: KeyObject): string | null {
  const digest = key.asymmetricKeyType === "rsa" || key.asymmetricKeyType === "ec" ? "sha256" : null;
  for (let count = 0; count < SIGNATURES_MAX; count += 1) {
    const readMs = startWatch();
    sign(digest, ANY_BYTES, key);
    if (readMs() <= SIGNATURE_MS_MAX) return null;
  }
  return `takes more than ${SIGNATURE_MS_MAX} ms for one signature; ${RIGHT}`;
}
