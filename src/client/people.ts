/** Erases a person from an account's events, when they or the law ask for it. */
import { type CallResult, isObject, parse, readRefusal } from "./answers.ts";
import type { MakeCall } from "./call.ts";
import { accountPath } from "./set-up.ts";

/** What was taken out. */
export interface ErasedPerson {
  /** Events that lost their body, what receivers answered, and their texts in search. */
  readonly events: number;
  /** Attempts that lost an answer, or a text with the address. */
  readonly answers: number;
  /** Deliveries that waited and are not sent any more. */
  readonly cancelled: number;
  /** Replays that were asked for by a search for the person. */
  readonly searches: number;
  readonly inboxRecords: number;
  readonly refusedRecords: number;
  /** Events and records that a node had in hand just then: above 0, call again in a minute. */
  readonly inFlight: number;
}

/** An installation with a hundred million events takes fewer calls. */
const CALLS_MAX = 10_000;

const NAMES = {
  events: "events",
  answers: "answers",
  cancelled: "cancelled",
  searches: "searches",
  inboxRecords: "inbox_records",
  refusedRecords: "refused_records",
  inFlight: "in_flight",
} as const;

export function createPeople(call: MakeCall) {
  return {
    async erasePerson(accountId: string, email: string): Promise<CallResult<ErasedPerson>> {
      const total: Record<keyof ErasedPerson, number> = {
        events: 0,
        answers: 0,
        cancelled: 0,
        searches: 0,
        inboxRecords: 0,
        refusedRecords: 0,
        inFlight: 0,
      };
      for (let calls = 1, after = ""; ; calls += 1) {
        const more = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
        const path = `${accountPath(accountId)}/people?email=${encodeURIComponent(email)}${more}`;
        const outcome = await call({ method: "DELETE", path, signal: undefined });
        if (outcome.kind === "unavailable") return outcome;
        const answer = outcome.status === 200 ? parse(outcome.text) : undefined;
        if (!isAnswer(answer) || calls > CALLS_MAX) return readRefusal(outcome);
        for (const name of Object.keys(NAMES) as (keyof ErasedPerson)[]) total[name] += answer[NAMES[name]];
        if (answer.next === null) return { kind: "done", value: total };
        after = answer.next;
      }
    },
  };
}

type Answer = Readonly<Record<(typeof NAMES)[keyof ErasedPerson], number>> & { readonly next: string | null };

const isAnswer = (answer: unknown): answer is Answer =>
  isObject(answer) &&
  Object.values(NAMES).every((name) => typeof answer[name] === "number") &&
  (answer["next"] === null || typeof answer["next"] === "string");
