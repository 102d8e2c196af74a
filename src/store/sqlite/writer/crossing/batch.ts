/**
 * A batch of calls on its way to the writer thread, and the answers on their way back. The two verbs that every webhook
 * pays are packed on a tape, and so are the charts' figures; every other call, and every failure, crosses as it is.
 *
 * The CPU of both threads for one webhook of 1.1 KB, accepted and settled, as objects and packed (measured): 13.8 and
 * 10.5 µs with 5 in a batch, 11.4 and 5.0 µs with 50, the same with 1.
 */
import { assert } from "../../../../lib/assert.ts";
import { type Answer, type Call, toCall, type VerbAnswer, type VerbParams } from "../../../calls.ts";
import { putAcceptedEvent, putAcceptEvents, takeAcceptedEvent, takeAcceptEvents } from "./events.ts";
import { putCounts, takeCounts } from "./counts.ts";
import { putSettleAttempts, putSettleResult, takeSettleAttempts, takeSettleResult } from "./settlements.ts";
import { type Column, type Tape, TapeReader, TapeWriter } from "./tape.ts";

/** In the order of the calls; `others` are those that `tape` only names. */
export interface Packed<Other> {
  readonly tape: Tape;
  readonly others: readonly Other[];
}

const KINDS = ["other", "acceptEvents", "settleAttemptsIfClaimed"] as const;
type Kind = (typeof KINDS)[number];

/** The charts' figures have thousands of rows. */
const ANSWER_KINDS = [...KINDS, "countAttempts"] as const;
type AnswerKind = (typeof ANSWER_KINDS)[number];

type Columns = readonly Column[];

export function packCalls<Attempt extends Columns>(calls: readonly Call<Attempt>[]): Packed<Call<Attempt>> {
  const others: Call<Attempt>[] = [];
  const tape = new TapeWriter();
  tape.list(calls, (_, call) => {
    const kind = kindOf(call);
    tape.word(KINDS, kind);
    // `toCall`, which makes every call, sees to it that the params are the verb's own.
    if (kind === "acceptEvents") putAcceptEvents(tape, call.params as VerbParams<typeof kind, Attempt>);
    else if (kind === "settleAttemptsIfClaimed")
      putSettleAttempts(tape, call.params as VerbParams<typeof kind, Attempt>);
    else others.push(call);
  });
  return { tape: tape.end(), others };
}

export function unpackCalls<Attempt extends Columns>({ tape, others }: Packed<Call<Attempt>>): Call<Attempt>[] {
  const rest = others.values();
  return new TapeReader(tape).list((reader): Call<Attempt> => {
    const kind = reader.word(KINDS);
    if (kind === "acceptEvents") return toCall(kind, takeAcceptEvents(reader));
    if (kind === "settleAttemptsIfClaimed") return toCall(kind, takeSettleAttempts<Attempt>(reader));
    return takeOther(rest);
  });
}

/** `calls` are those that were answered: an answer does not name its verb. */
export function packAnswers(calls: readonly Call<Columns>[], answers: readonly Answer[]): Packed<Answer> {
  const others: Answer[] = [];
  const tape = new TapeWriter();
  tape.number(answers.length);
  for (const [place, answer] of answers.entries()) {
    const kind = answer.kind === "done" ? answerKindOf(calls[place]) : "other";
    tape.word(ANSWER_KINDS, kind);
    if (kind === "other" || answer.kind !== "done") others.push(answer);
    // A verb's value is the one that the contract says.
    else if (kind === "acceptEvents") tape.list(answer.value as VerbAnswer<typeof kind>, putAcceptedEvent);
    else if (kind === "countAttempts") putCounts(tape, answer.value as VerbAnswer<typeof kind>);
    else tape.list(answer.value as VerbAnswer<typeof kind>, putSettleResult);
  }
  return { tape: tape.end(), others };
}

export function unpackAnswers({ tape, others }: Packed<Answer>): Answer[] {
  const rest = others.values();
  return new TapeReader(tape).list((reader): Answer => {
    const kind = reader.word(ANSWER_KINDS);
    if (kind === "acceptEvents") return { kind: "done", value: reader.list(takeAcceptedEvent) };
    if (kind === "settleAttemptsIfClaimed") return { kind: "done", value: reader.list(takeSettleResult) };
    if (kind === "countAttempts") return { kind: "done", value: takeCounts(reader) };
    return takeOther(rest);
  });
}

const kindOf = (call: Call<Columns> | undefined): Kind =>
  call?.verb === "acceptEvents" || call?.verb === "settleAttemptsIfClaimed" ? call.verb : "other";

const answerKindOf = (call: Call<Columns> | undefined): AnswerKind =>
  call?.verb === "countAttempts" ? call.verb : kindOf(call);

function takeOther<Other>(rest: Iterator<Other>): Other {
  const { value, done } = rest.next();
  assert(done !== true, "a tape names more calls than have crossed");
  return value;
}
