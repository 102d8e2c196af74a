/**
 * The records of the benchmark: one sample of about 1 KB whose id counts upwards, so that the receiver can tell which
 * one arrived by reading a few digits at a known place. Templates are bytes in which only those digits change.
 */
import { demoViewed } from "../src/events/demo-viewed.ts";

/** Digits of the running number: the last of the UUID. */
const DIGITS = 12;
const ID_START = "00000000-0000-4000-8000-";

/** The id stands first in record and body: `{"id":"` and the fixed part come before the digits. */
export const DIGITS_AT = '{"id":"'.length + ID_START.length;

export const APP_URL = "https://app.example.com";

/** An alert of its own takes each of these demos: one destination each. */
export const demoName = (destination: number): string => `Demo ${destination}`;

/** The id of the record with that number. */
export const toId = (sequence: number): string => ID_START + String(sequence).padStart(DIGITS, "0");

export function recordText(destination: number): string {
  return JSON.stringify({ ...demoViewed.example, id: toId(0), name: demoName(destination) });
}

/** The body that Bellwire makes of that record. */
export function bodyText(destination: number): string {
  const parsed = demoViewed.parse(recordText(destination));
  if (!parsed.ok) throw new Error(parsed.error.detail);
  return parsed.value.buildBody({ appUrl: APP_URL });
}

/** As long as the built-in type's name, so that the bodies are of one size. */
export const DECLARED_TYPE = "demo_record";

/** The members of that body as a record of a declared type, which goes out as it came; with notes up to `bytes`. */
export function declaredText(bytes = 0): string {
  const { event: _, ...members } = JSON.parse(bodyText(0)) as Record<string, unknown>;
  const lacking = bytes - JSON.stringify({ ...members, notes: [] }).length;
  const notes = Array.from({ length: Math.max(0, Math.ceil(lacking / NOTE_BYTES)) }, () => NOTE);
  return JSON.stringify(notes.length === 0 ? members : { ...members, notes });
}

/** A turn of a conversation, with a line break in it. */
const NOTE = { by: "visitor", text: `We need demos for 40 people.\n${"Does it work with our CRM? ".repeat(8)}` };
const NOTE_BYTES = JSON.stringify(NOTE).length + 1;

export interface Template {
  /** Bytes that are written over for each use. */
  readonly bytes: Buffer;
  /** Where the digits of each record begin, one list a record. */
  readonly places: readonly (readonly number[])[];
}

/** `head`, then the texts one after the other, each of which may hold its id several times. */
export function toTemplate(head: string, texts: readonly string[]): Template {
  const bytes = Buffer.from(head + texts.join(""));
  let start = Buffer.byteLength(head);
  const places = texts.map((text) => {
    const from = start;
    start += Buffer.byteLength(text);
    return findPlaces(bytes.subarray(from, start)).map((place) => from + place);
  });
  return { bytes, places };
}

function findPlaces(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(ID_START); at !== -1; at = bytes.indexOf(ID_START, at + 1)) {
    places.push(at + ID_START.length);
  }
  return places;
}

/** Writes the running number of the template's record `index` into its bytes. */
export function putSequence({ bytes, places }: Template, index: number, sequence: number): void {
  for (const place of places[index] ?? []) {
    let rest = sequence;
    for (let at = place + DIGITS - 1; at >= place; at -= 1) {
      bytes[at] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
}

export function readSequence(bytes: Buffer, place: number): number {
  let sequence = 0;
  for (let at = place; at < place + DIGITS; at += 1) sequence = sequence * 10 + ((bytes[at] ?? 0) - 0x30);
  return sequence;
}

/** Milliseconds of a clock that all processes of a machine share. */
export const sharedClockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The headers that Bellwire sends, with constant values: the receiver gets as many bytes of each. */
export const webhookHeaders = (bodyBytes: number) => ({
  "content-type": "application/json",
  "content-length": String(bodyBytes),
  "user-agent": "Bellwire/1.0.0",
  "x-service-signature": "A".repeat(44),
  "webhook-id": `dlv_${"0".repeat(26)}`,
  "webhook-timestamp": "1800000000",
  "webhook-signature": `v1,${"A".repeat(44)}`,
});
