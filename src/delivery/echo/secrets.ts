/**
 * The search table for an answer, so that no secret header value is kept: every eight letters and digits that follow
 * each other in a value, in either case, without the characters between them. Escapes, line breaks and cuts fall
 * between letters, so the remains of a value are found wherever they stand. Pure, and linear in the values.
 */
import type { CustomHeader } from "../../domain/destination.ts";
import { unescapedText } from "./readings.ts";

/** Shorter values are not secrets, and would be found by chance in every other answer. */
const SECRET_CHARS_MIN = 6;

/** This many characters of a value in a row are masked, whatever they are. */
const ENOUGH = 16;

export interface Grams {
  /** The length of each gram. */
  readonly size: number;
  /** By gram: the number of characters in a row that count as the secret, which is the whole value or `ENOUGH`. */
  readonly needed: ReadonlyMap<string, number>;
  /** A table over `startAt`, 1 where a gram may begin. It rules out nearly every place of an ordinary answer. */
  readonly starts: Uint8Array;
}

export interface Secrets {
  /** Grams of letters and digits alone. */
  readonly skeletons: Grams;
  /** Grams of all characters, for values with hardly a letter or digit. */
  readonly texts: Grams;
  /** By a value's first gram: what may stand before it (its scheme, its brackets), the longest first. */
  readonly leads: ReadonlyMap<string, readonly string[]>;
  /** By a value's last gram: what may stand behind it. */
  readonly trails: ReadonlyMap<string, string>;
  /** Beginnings that are too short to be searched for except at the end of an answer that was cut. */
  readonly beginnings: ReadonlySet<string>;
}

export const SKELETON_GRAM = 8;

/** Beginnings of two characters give nothing away. */
export const BEGINNING_CHARS_MIN = 3;

export const fold = (text: string): string => text.toLowerCase();

/** Letters and digits, in lower case. */
export const toSkeleton = (text: string): string => fold(text.replace(/[^0-9A-Za-z]+/g, ""));

/** A number below `STARTS` for the three characters at the index. */
export const startAt = (text: string, index: number): number =>
  (text.charCodeAt(index) * 1_089 + text.charCodeAt(index + 1) * 33 + text.charCodeAt(index + 2)) % STARTS;

const STARTS = 4_096;

/** `null` when no header has a value that can be told from ordinary text. */
export function collectSecrets(headers: readonly CustomHeader[]): Secrets | null {
  // Most destinations have no secret header.
  if (!headers.some(({ secret }) => secret)) return null;
  const values = headers.filter(({ secret }) => secret).flatMap(({ value }) => [value, ...findCredentials(value)]);
  const secrets = values.filter(({ length }) => length >= SECRET_CHARS_MIN).map(withoutScheme);
  if (secrets.length === 0) return null;
  const collected = newCollection();
  for (const secret of secrets) collect(collected, secret);
  return collected;
}

/** `Basic` encodes a name and a password; decoding needs no secret. */
function findCredentials(value: string): string[] {
  const [, encoded] = /^basic[ \t]+([0-9A-Za-z+/_-]+=*)$/i.exec(value) ?? [];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  const colon = pair.indexOf(":");
  if (colon < 0) return [pair];
  const [user, password] = [pair.slice(0, colon), pair.slice(colon + 1)];
  // Many answers contain a name such as "webhooks"; a key in its place is a secret.
  return [pair, password, ...(password === "" || looksRandom(user) ? [user] : [])];
}

interface Secret {
  /** `Bearer ` and its like: masked together with the value that follows, and not by itself. */
  readonly scheme: string;
  readonly text: string;
}

function withoutScheme(value: string): Secret {
  const [scheme = ""] = /^[A-Za-z-]{2,16}[ \t]+/.exec(value) ?? [];
  const text = value.slice(scheme.length);
  return text.length < SECRET_CHARS_MIN ? { scheme: "", text: value } : { scheme, text };
}

interface Collection {
  readonly skeletons: MutableGrams;
  readonly texts: MutableGrams;
  readonly leads: Map<string, readonly string[]>;
  readonly trails: Map<string, string>;
  readonly beginnings: Set<string>;
}

interface MutableGrams extends Grams {
  readonly needed: Map<string, number>;
}

const newGrams = (size: number): MutableGrams => ({ size, needed: new Map(), starts: new Uint8Array(STARTS) });

const newCollection = (): Collection => ({
  skeletons: newGrams(SKELETON_GRAM),
  texts: newGrams(SECRET_CHARS_MIN),
  leads: new Map(),
  trails: new Map(),
  beginnings: new Set(),
});

/** Collects a value also with its escapes undone: a value may look escaped, and the escapes of an answer are undone. */
function collect(collected: Collection, secret: Secret): void {
  const { skeletons, texts } = collected;
  for (const text of new Set([secret.text, unescapedText(secret.text)])) {
    const skeleton = toSkeleton(text);
    if (skeleton.length < SKELETON_GRAM) {
      addGrams(texts, fold(text));
      addLeads(collected, fold(text).slice(0, SECRET_CHARS_MIN), [fold(secret.scheme)]);
      continue;
    }
    addGrams(skeletons, skeleton);
    addEdges(collected, { scheme: secret.scheme, text }, skeleton);
    for (let length = BEGINNING_CHARS_MIN; length < SKELETON_GRAM; length += 1) {
      collected.beginnings.add(skeleton.slice(0, length));
    }
  }
}

function addGrams({ size, needed, starts }: MutableGrams, text: string): void {
  const enough = Math.min(text.length, ENOUGH);
  for (let index = 0; index + size <= text.length; index += 1) {
    const gram = text.slice(index, index + size);
    needed.set(gram, Math.min(enough, needed.get(gram) ?? ENOUGH));
    starts[startAt(text, index)] = 1;
  }
}

function addEdges(collected: Collection, { scheme, text }: Secret, skeleton: string): void {
  const [before = ""] = /^[^0-9A-Za-z]*/.exec(text) ?? [];
  const [behind = ""] = /[^0-9A-Za-z]*$/.exec(text.slice(-EDGE_CHARS_MAX)) ?? [];
  addLeads(collected, skeleton.slice(0, SKELETON_GRAM), [fold(scheme + before), before]);
  collected.trails.set(skeleton.slice(-SKELETON_GRAM), behind);
}

function addLeads({ leads }: Collection, gram: string, given: readonly string[]): void {
  const more = given.filter((lead) => lead !== "" && lead.length <= EDGE_CHARS_MAX);
  leads.set(gram, [...(leads.get(gram) ?? []), ...more].slice(0, LEADS_MAX));
}

/** An edge is compared at every place where its value is found. */
const EDGE_CHARS_MAX = 32;
const LEADS_MAX = 8;

/** Words have neither digits nor a capital behind a small letter. */
export const looksRandom = (text: string): boolean => /[a-z][A-Z]|\d/.test(text) && /[A-Za-z]|\d{8}/.test(text);
