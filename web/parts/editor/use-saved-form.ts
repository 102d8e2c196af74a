/**
 * What is typed beside what is saved, from one save to the next. Typing goes on while a save is under way, and what
 * was answered counts as saved even when it cannot be read back: the next save goes over it and never makes another.
 *
 *     typed ──write──► answered (id, revision) ──read──► saved
 *                          │                               what was typed since stays, and is not saved yet
 *                          └── the read fails: unread      the next save reads first, or `detail` arrives by itself
 */
import { useEffect, useRef, useState } from "react";
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";

/** What is edited, and the calls that read and save it. */
export interface SavedSubject<Saved, State> {
  /** `before` is what was typed until now: what belongs to no saved value, such as an edited sample, stays. */
  readonly toState: (saved: Saved | null, before: State | null) => State;
  /** As a text: what Save would send. */
  readonly sends: (state: State) => string;
  /** Saves over this revision. `null` for what was never saved. */
  readonly write: (state: State, saved: Saved | null, revision: number | null) => Promise<SavedAnswer>;
  readonly read: (id: string) => Promise<Saved>;
}

export interface SavedForm<Saved, State> {
  readonly state: State;
  /** `null` when it never was, or was never read back. */
  readonly saved: Saved | null;
  /** What is saved under it; `null` when nothing is. */
  readonly written: SavedAnswer | null;
  readonly isDirty: boolean;
  readonly edit: (state: State) => void;
  readonly load: (saved: Saved) => void;
  /** Saves over this revision; resolves to what there is to say besides "Saved.", each sentence after a blank. */
  readonly write: (revision: number | null) => Promise<string>;
}

interface Options<Saved, State> {
  readonly detail: Saved | null;
  /** What is saved takes the place of what was typed. */
  readonly onLoad: (before: State, after: State) => void;
  /** A save is under way. */
  readonly isBusy: boolean;
}

/** Saved, and not read back yet; `sends` is what was sent. */
interface Unread extends SavedAnswer {
  readonly sends: string;
}

export function useSavedForm<Saved extends SavedAnswer, State>(
  subject: SavedSubject<Saved, State>,
  { detail, onLoad, isBusy }: Options<Saved, State>,
): SavedForm<Saved, State> {
  const [saved, setSaved] = useState(detail);
  const [unread, setUnread] = useState<Unread | null>(null);
  const [state, setState] = useState(() => subject.toState(detail, null));
  const latest = useRef(state);
  useEffect(() => {
    latest.current = state;
  });
  const isDirty = subject.sends(state) !== (unread?.sends ?? subject.sends(subject.toState(saved, state)));

  const learn = (theirs: Saved): void => {
    setSaved(theirs);
    setUnread(null);
  };
  const load = (theirs: Saved, before = state): void => {
    const next = subject.toState(theirs, before);
    onLoad(before, next);
    learn(theirs);
    setState(next);
  };
  // Somebody else saved, or what could not be read back is there; and nothing here could be taken away by it.
  const isNews = detail !== null && detail.revision >= (unread?.revision ?? (saved?.revision ?? 0) + 1);
  if (isNews && !isDirty && !isBusy) load(detail);

  const write = async (revision: number | null): Promise<string> => {
    const base = unread === null ? saved : await subject.read(unread.id);
    const sent = subject.sends(state);
    const answer = await subject.write(state, base, revision);
    setUnread({ ...answer, sends: sent });
    const fresh = await subject.read(answer.id).catch(() => null);
    const hasTypedOn = subject.sends(latest.current) !== sent;
    if (fresh !== null && hasTypedOn) learn(fresh);
    if (fresh !== null && !hasTypedOn) load(fresh, latest.current);
    return `${fresh === null ? NOT_READ_BACK : ""}${hasTypedOn ? NOT_SAVED_YET : ""}`;
  };
  return { state, saved, written: unread ?? saved, isDirty, edit: setState, load: (theirs) => load(theirs), write };
}

const NOT_READ_BACK = " What is saved now couldn’t be loaded again.";
const NOT_SAVED_YET = " What you typed since is not saved yet.";
