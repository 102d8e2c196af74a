/** What a reader of a channel sees of a message, and the small checks that the stand-ins of chat tools share. */
export interface Seen {
  /** Each text as it is read, its markup gone. */
  readonly texts: readonly string[];
  readonly links: readonly SeenLink[];
  /** Who was pinged: `everyone`, a person's id. */
  readonly pings: readonly string[];
  /** Each text that markup has changed: strong, a quote, code, an emoji, a time. */
  readonly marked: readonly string[];
}

export interface SeenLink {
  readonly words: string;
  readonly url: string;
}

export interface Refusal {
  /** The tool's word or code. */
  readonly refusal: string;
  readonly detail: string;
}

export type Take = (message: unknown, text: string) => Seen | Refusal;

/** What is found while a message is read. */
export interface Finds {
  readonly texts: string[];
  readonly links: SeenLink[];
  readonly pings: string[];
  readonly marked: string[];
}

export const newFinds = (): Finds => ({ texts: [], links: [], pings: [], marked: [] });

/** Thrown by the checks below, and caught by `takeBy`. */
class Refused extends Error {
  readonly refusal: string;

  constructor(refusal: string, detail: string) {
    super(detail);
    this.refusal = refusal;
  }
}

export function refuse(refusal: string, detail: string): never {
  throw new Refused(refusal, detail);
}

export const takeBy =
  (read: (message: Members, finds: Finds, text: string) => void): Take =>
  (message, text) => {
    const finds = newFinds();
    try {
      read(asMembers(message), finds, text);
      return finds;
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.refusal, detail: error.message };
      throw error;
    }
  };

export type Members = Readonly<Record<string, unknown>>;

export const asMembers = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};

export const asList = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(asMembers) : []);

export interface Bounds {
  readonly min?: number;
  readonly max: number;
  /** The tool's word or code. */
  readonly refusal: string;
}

/** The text, of a length that the tool takes. UTF-16 units are the strictest reading of "characters". */
export function textWithin(value: unknown, what: string, { min = 1, max, refusal }: Bounds): string {
  if (typeof value !== "string") return refuse(refusal, `${what} is no text`);
  if (value.trim().length < min || value.length > max) refuse(refusal, `${what} has ${value.length} characters`);
  if (!value.isWellFormed()) refuse(refusal, `${what} has half a character`);
  return value;
}

export function refuseOthers(object: Members, names: readonly string[], refusal: string): void {
  const other = Object.keys(object).find((name) => !names.includes(name));
  if (other !== undefined) refuse(refusal, `Unknown name "${other}"`);
}

/** Bare addresses, of which a program makes links by itself. */
export const BARE_URL = /\b(?:https?:\/\/|www\.)[^\s<>"|)\]]+/gi;
