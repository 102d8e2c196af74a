/** The answer of `countAttempts` on a tape: thousands of rows that share a few hundred names. */
import { assert } from "../../../../lib/assert.ts";
import type { AttemptCount } from "../../../contract/log.ts";
import type { TapeReader, TapeWriter } from "./tape.ts";

type Name = Pick<AttemptCount, "destinationId" | "kind" | "result" | "code">;

const KINDS = ["attempt", "delivery"] as const satisfies readonly AttemptCount["kind"][];
const RESULTS = ["delivered", "retry", "failed"] as const satisfies readonly AttemptCount["result"][];

export function putCounts(tape: TapeWriter, counts: readonly AttemptCount[]): void {
  const places = new Map<string, number>();
  const names: Name[] = [];
  const placeOf = (name: Name): number => {
    const key = `${name.destinationId} ${name.kind} ${name.result} ${name.code}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, names.length);
    return names.push(name) - 1;
  };
  const named = counts.map(placeOf);
  tape.list(names, putName);
  tape.number(counts.length);
  for (const [place, { atMs, bin, count }] of counts.entries()) {
    tape.number(named[place] ?? 0);
    tape.number(atMs);
    tape.number(bin);
    tape.number(count);
  }
}

export function takeCounts(tape: TapeReader): AttemptCount[] {
  const names = tape.list(takeName);
  return tape.list((reader) => {
    const name = names[reader.number()];
    assert(name !== undefined, "a count on a tape has a name that is not there");
    const { destinationId, kind, result, code } = name;
    return { destinationId, atMs: reader.number(), kind, result, code, bin: reader.number(), count: reader.number() };
  });
}

function putName(tape: TapeWriter, { destinationId, kind, result, code }: Name): void {
  tape.text(destinationId);
  tape.word(KINDS, kind);
  tape.word(RESULTS, result);
  tape.text(code);
}

const takeName = (tape: TapeReader): Name => ({
  destinationId: tape.text(),
  kind: tape.word(KINDS),
  result: tape.word(RESULTS),
  code: tape.text(),
});
