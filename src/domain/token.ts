/**
 * Tokens that let somebody in: sign-in links, sessions, programs that ask, links of e-mails, read keys. A token is a
 * secret of 256 random bits and says nothing about whose it is. Only its hash is stored, so that a reader of the
 * database gets in nowhere.
 */
import { hash } from "node:crypto";
import type { Random } from "../lib/random.ts";

const SECRET_BYTES = 32;

/** 43 characters. None begins with a dash: people pass codes as a command's word, which would be read as a flag. */
export function newToken(random: Random): string {
  const token = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
  return token.startsWith("-") ? newToken(random) : token;
}

/** By which tools that look for leaked keys, and people, know one. */
const READ_KEY_PREFIX = "bwr_";

export const newReadKey = (random: Random): string => `${READ_KEY_PREFIX}${newToken(random)}`;

/** Whether a text has the form of our read keys. */
export const isReadKey = (text: string): boolean =>
  text.startsWith(READ_KEY_PREFIX) && isToken(text.slice(READ_KEY_PREFIX.length));

/** Under which the store finds it: 64 hex digits. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");

/** Whether a text has the form of our tokens: any other is unknown without a question to the store. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);
