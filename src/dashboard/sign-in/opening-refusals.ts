/**
 * What a person is told whose sign-in link or forwarding code opens nothing: one table for both, in which only the
 * thing's name and the way to a new one differ. Each sentence says what to do next, because its reader stands before a
 * closed door.
 */
import { type Problem, problem } from "../../domain/problem.ts";
import type { OpenSessionResult } from "../../store/contract/people.ts";

interface Words {
  readonly thing: "sign-in link" | "code";
  /** A sentence. */
  readonly howToGetOne: string;
}

type Refusal = Exclude<OpenSessionResult["kind"], "opened">;

export interface OpeningRefusals extends Readonly<Record<Refusal, Problem>> {
  /** Too many tries from one address named nothing that there is. */
  readonly tooMany: Problem;
}

export function toOpeningRefusals({ thing, howToGetOne }: Words): OpeningRefusals {
  const say = (code: Problem["code"], sentence: string): Problem => problem(code, `${sentence} ${howToGetOne}`);
  return {
    unknown: say("link_unknown", `This is not a ${thing} of this service. Check that it was copied whole.`),
    used: say(
      "link_used",
      `This ${thing} has been used already: each works once. If it was not you, tell an owner of the account.`,
    ),
    ended: say("link_expired", `This ${thing} does not work any more: its person was signed out after it was made.`),
    expired: say("link_expired", `This ${thing} has expired: each works for five minutes.`),
    tooMany: say(
      "too_many_bad_links",
      `Too many tries from your address came without a ${thing} that exists. Wait a minute.`,
    ),
  };
}
