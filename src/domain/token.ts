/**
 * Tokens that let somebody in: sign-in links, sessions, forwarding codes, links of e-mails. A token is the mark of its
 * account's bucket and a secret of 256 random bits. Only a hash of the secret is stored, so that a reader of the
 * database gets in nowhere.
 *
 *     a7 Zk3…43 characters          the token
 *     a7 9f86…64 hex digits         its key: the mark, and the secret's SHA-256
 *
 * The mark says where to look and proves nothing: without it, a look-up would ask every part of a distributed database.
 */
import { hash } from "node:crypto";
import type { Random } from "../lib/random.ts";
import { bucketPrefix } from "../lib/bucket.ts";

const SECRET_BYTES = 32;
const PREFIX_CHARS = 2;

/** 43 characters. */
export const newSecret = (random: Random): string => Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");

export const hashSecret = (secret: string): string => hash("sha256", secret, "hex");

export const toToken = (accountId: string, secret: string): string => bucketPrefix(accountId) + secret;

export const newToken = (accountId: string, random: Random): string => toToken(accountId, newSecret(random));

/** For the same account as `token`, which is the caller's: its account is not known yet. */
export const newTokenBeside = (token: string, random: Random): string =>
  token.slice(0, PREFIX_CHARS) + newSecret(random);

/** Under which the store finds it. */
export const hashToken = (token: string): string =>
  token.slice(0, PREFIX_CHARS) + hashSecret(token.slice(PREFIX_CHARS));

/** Whether a text has the form of our tokens: any other is unknown without a question to the store. */
export const isToken = (text: string): boolean => /^[0-9a-f]{2}[A-Za-z0-9_-]{43}$/.test(text);

/** Whether their accounts share a bucket, so that one transaction in one place has both. */
export const areTogether = (one: string, other: string): boolean =>
  one.slice(0, PREFIX_CHARS) === other.slice(0, PREFIX_CHARS);

/** The part of a key that is stored; the bucket is a column of its own. */
export const storedPart = (tokenHash: string): string => tokenHash.slice(PREFIX_CHARS);
