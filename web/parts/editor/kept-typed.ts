/**
 * What is typed into a form of a frame, kept in this tab until it is saved or given up: the product may bring a new
 * link at any time, and the frame then goes on where it was. One form's of each frame, of one person, and without
 * secrets.
 */
import type { SessionAnswer } from "../../../src/dashboard/contract/session.ts";
import { EMBEDDED_PAGE, isReachable } from "../../embed.ts";

export interface KeptTyped<Draft> {
  readonly typed: Draft;
  /** Of what is stored, as the form knew it; `null` for one that was never saved. */
  readonly revision: number | null;
}

interface Slot extends KeptTyped<unknown> {
  readonly account: string;
  readonly person: string;
  /** The drafts of another build may have other fields. */
  readonly build: string;
  /** Of the form, below the document's base. */
  readonly address: string;
}

type Who = Pick<SessionAnswer, "account" | "person">;

const KEYS = "bellwire.typed";
/** Of this frame: frames of one tab share its storage (public/start.js). */
const KEY = `${KEYS}.${window.name}`;
/** Guess: a form with the longest template, and a sample beside it. */
const CHARS_MAX = 512 * 1024;

/** By the name of its first script, which is made of the names of all others. */
const BUILD = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";

/** This document has written what is kept, or has taken it up: what waits for another form stays. */
let isOurs = false;

/** What was typed into the form at this address. */
export function findTyped<Draft>(who: Who): KeptTyped<Draft> | null {
  const slot = read(who);
  if (slot?.address !== currentAddress()) return null;
  isOurs = true;
  return slot as KeptTyped<Draft>;
}

/** Where somebody was typing when the frame got a new link; nothing of another person's stays, in any frame. */
export function findTypedAddress(who: Who): string | null {
  forgetOthers(who);
  const slot = read(who);
  return slot !== null && isReachable(slot.address) ? slot.address : null;
}

/** `null` when nothing is left to keep. */
export function keepTyped(who: Who, kept: KeptTyped<unknown> | null): void {
  if (EMBEDDED_PAGE === null || (kept === null && !isOurs)) return;
  isOurs = kept !== null;
  const { account, person } = who;
  store(kept && { ...kept, account: account.id, person, build: BUILD, address: currentAddress() });
}

const currentAddress = (): string => `/${location.href.slice(document.baseURI.length).replace(/#.*$/, "")}`;

function read({ account, person }: Who, key = KEY): Slot | null {
  try {
    const slot = JSON.parse(sessionStorage.getItem(key) ?? "null") as Slot | null;
    const isTheirs = slot?.account === account.id && slot.person === person && slot.build === BUILD;
    return EMBEDDED_PAGE !== null && isTheirs ? slot : null;
  } catch {
    return null;
  }
}

function forgetOthers(who: Who): void {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(KEYS));
    for (const key of keys) if (read(who, key) === null) sessionStorage.removeItem(key);
  } catch {
    // Nothing can be kept where storage is forbidden.
  }
}

/** Storage may be forbidden or full, and a form too long: what is typed then lasts as long as the page. */
function store(slot: Slot | null): void {
  const text = JSON.stringify(slot);
  try {
    if (slot === null || text.length > CHARS_MAX) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    isOurs = false;
  }
}
