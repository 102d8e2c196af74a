/**
 * Webhooks whose names repeat, told apart by what differs: the host, then the path, then what they are sent for. Every
 * place that names one shows that mark beside the name. `tellApart` is pure.
 */
import { useMemo } from "react";
import type { DestinationView } from "../../src/dashboard/contract/destinations.ts";
import { OWNER_NOUNS, type Owner } from "../../src/domain/event.ts";
import { useAnswer, useAnswerWhen } from "../query.ts";
import { eventLabel } from "./event-words.ts";
import { conditionsInWords, eventsInWords } from "./owner/owner-words.ts";

type Named = Pick<DestinationView, "id" | "owner" | "url">;
type Mark = (named: Named) => string;

/** Of an owner, as a key. */
const toKey = ({ kind, id }: Owner): string => `${kind} ${id}`;

const toName: Mark = ({ owner }) => owner.name.trim().toLowerCase();

const toHost: Mark = ({ url }) => URL.parse(url)?.host ?? url;

/** Host and path, without the scheme that nearly all have. */
const toAddress: Mark = ({ url }) => url.replace(/^https:\/\//, "").replace(/\/$/, "");

const ID_END = 6;
/** The last resort: in the address of its page, too. */
const toIdEnd: Mark = ({ owner }) => `…${owner.id.slice(-ID_END)}`;

/** The mark of each whose name another one has too, by the destination's id; the others have none. */
export function tellApart(
  named: readonly Named[],
  wants: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const toWants: Mark = ({ owner }) => wants.get(toKey(owner)) ?? OWNER_NOUNS[owner.kind];
  const same = [...Map.groupBy(named, toName).values()];
  return new Map(same.flatMap((group) => (group.length === 1 ? [] : markGroup(group, [toAddress, toWants, toIdEnd]))));
}

/** The first mark that tells all of them apart; one that does not gets the next one behind it. */
function markGroup(
  group: readonly Named[],
  [next, ...later]: readonly Mark[],
  mark: Mark = toHost,
): [string, string][] {
  const byMark = [...Map.groupBy(group, mark).values()];
  return byMark.flatMap((same): [string, string][] => {
    const [one] = same;
    if (one === undefined) return [];
    if (same.length === 1 || next === undefined) return same.map((each) => [each.id, mark(each)]);
    const isAddress = next === toAddress;
    return markGroup(same, later, isAddress ? next : (each) => `${mark(each)} · ${next(each)}`);
  });
}

/** As much of a mark as a row has room for. */
const MARK_CHARS = 14;

/** Addresses differ in their paths, so that end is shown: whole parts of it where one fits, never half an escape. */
export function toEnd(mark: string): string {
  if (mark.length <= MARK_CHARS) return mark;
  // A letter is one piece, also one that is written in several escapes or code units.
  const pieces = mark.match(/%[c-f][\da-f](?:%[89ab][\da-f])+|%[\da-f]{2}|./giu) ?? [];
  let end = "";
  for (const piece of pieces.toReversed()) {
    if (end.length + piece.length >= MARK_CHARS) break;
    end = `${piece}${end}`;
  }
  const part = end.indexOf("/");
  return `…${part === -1 || part === end.length - 1 ? end : end.slice(part)}`;
}

/** The same by owner, as `alert alr_1`, each ready to stand behind a name. */
export function useOwnerMarks(): ReadonlyMap<string, string> {
  const { data } = useAnswer("GET /destinations");
  const marks = useMarks();
  return new Map(
    (data?.destinations ?? NONE).flatMap(({ id, owner }): [string, string][] => {
      const mark = marks.get(id);
      return mark === undefined ? [] : [[toKey(owner), ` (${mark})`]];
    }),
  );
}

const NONE: readonly Named[] = [];

/** The marks of the account's webhooks. What they are sent for is asked only where their addresses repeat, too. */
export function useMarks(): ReadonlyMap<string, string> {
  const { data } = useAnswer("GET /destinations");
  const named = data?.destinations ?? NONE;
  const addressed = useMemo(() => new Set(named.map((each) => `${toName(each)} ${toAddress(each)}`)), [named]);
  const needsWants = addressed.size < named.length;
  const { data: alerts } = useAnswerWhen("GET /alerts", needsWants ? {} : null);
  const { data: webhooks } = useAnswerWhen("GET /webhooks", needsWants ? {} : null);
  return useMemo(() => {
    const wants = new Map([
      ...(alerts?.alerts ?? []).map((each) => [`alert ${each.id}`, conditionsInWords(each)] as const),
      ...(webhooks?.webhooks ?? []).map((each) => [`webhook ${each.id}`, eventsInWords(each, eventLabel)] as const),
    ]);
    return tellApart(named, wants);
  }, [named, alerts, webhooks]);
}
