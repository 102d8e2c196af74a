/** Tokens at the end of links in letters: 256 random bits, known to the store by a hash alone. */
import { hash } from "node:crypto";
import type { Random } from "./random.ts";

const TOKEN_BYTES = 32;

/** 43 characters. */
export const newLinkToken = (random: Random): string => Buffer.from(random.bytes(TOKEN_BYTES)).toString("base64url");

export const hashLinkToken = (token: string): string => hash("sha256", token, "hex");

/** A text of another form is unknown, without a question to the store. */
export const isLinkToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);
