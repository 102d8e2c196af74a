/**
 * Secrets at rest: AES-256-GCM over a short text, bound to the place where it is stored.
 *
 * A sealed value is text, `v1.<key id>.<base64url of nonce, ciphertext and tag>`. The context (table|column|row) is
 * authenticated with it, so a value that is copied to another row does not open there. The key id tells a value
 * sealed with another key from one that was changed.
 */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { assert } from "./assert.ts";
import type { Random } from "./random.ts";

export const SEAL_KEY_BYTES = 32;

/** The length GCM is made for. Chosen at random, it is safe for 2^32 values a key (NIST SP 800-38D, 8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1";

export interface Sealer {
  seal(plain: string, context: string): string;
  /** Throws when another key sealed the value, when it was changed, or when it belongs to another context. */
  open(sealed: string, context: string): string;
}

/** `key` has `SEAL_KEY_BYTES` bytes. */
export function createSealer(key: Uint8Array, random: Random): Sealer {
  assert(key.length === SEAL_KEY_BYTES, `a sealing key has ${SEAL_KEY_BYTES} bytes, this one has ${key.length}`);
  const keyId = computeKeyId(key);
  return {
    seal: (plain, context) => `${VERSION}.${keyId}.${encrypt(key, random.bytes(NONCE_BYTES), { plain, context })}`,
    open: (sealed, context) => decrypt(key, parseSealed(sealed, keyId), context),
  };
}

/** 32 bits of a hash: enough to tell keys apart, too little to help an attacker guess one of 256 bits. */
function computeKeyId(key: Uint8Array): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

function encrypt(key: Uint8Array, nonce: Uint8Array, { plain, context }: { plain: string; context: string }): string {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64url");
}

/** The bytes of a sealed value, once its form and its key are known to be ours. */
function parseSealed(sealed: string, keyId: string): Buffer {
  const [version, sealedWith, text, ...rest] = sealed.split(".");
  if (version !== VERSION || sealedWith === undefined || text === undefined || rest.length > 0) {
    throw new Error(`this is not a sealed value: it must look like ${VERSION}.<key id>.<text>`);
  }
  if (sealedWith !== keyId) {
    throw new Error(
      `this value was sealed with the encryption key ${sealedWith}, and the one in use is ${keyId}. ` +
        "Start with the key that belongs to this database.",
    );
  }
  const bytes = Buffer.from(text, "base64url");
  // Node decodes leniently; a text that it would write differently has been changed.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) throw damaged();
  return bytes;
}

function decrypt(key: Uint8Array, bytes: Buffer, context: string): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString("utf8");
  } catch (cause) {
    throw damaged(cause);
  }
}

/** GCM cannot tell which of the two it was, so the message names both. */
function damaged(cause?: unknown): Error {
  return new Error("a sealed value was changed, or copied from another place in the database", { cause });
}
