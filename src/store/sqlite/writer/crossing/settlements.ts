/** `settleAttemptsIfClaimed` on a tape: the call, and its answer. An attempt is on it as the columns that it has. */
import type { PackedSettlement, VerbParams } from "../../../calls.ts";
import type { Settlement, SettleResult } from "../../../contract/path.ts";
import type { Column, TapeReader, TapeWriter } from "./tape.ts";

type Columns = readonly Column[];
/** Patience ends where the call waits: it does not travel. */
type SettleAttempts<Attempt> = Omit<VerbParams<"settleAttemptsIfClaimed", Attempt>, "isPatient">;

export function putSettleAttempts<Attempt extends Columns>(
  tape: TapeWriter,
  { nowMs, settlements }: SettleAttempts<Attempt>,
): void {
  tape.number(nowMs);
  tape.list(settlements, putSettlement);
}

export const takeSettleAttempts = <Attempt extends Columns>(tape: TapeReader): Required<SettleAttempts<Attempt>> => ({
  nowMs: tape.number(),
  settlements: tape.list(takeSettlement<Attempt>),
});

function putSettlement<Attempt extends Columns>(tape: TapeWriter, settlement: PackedSettlement<Attempt>): void {
  tape.text(settlement.deliveryId);
  tape.shared(settlement.claimToken);
  tape.list<Column>(settlement.attempt, putColumn);
  putNext(tape, settlement.next);
  tape.flag(settlement.isFree);
  tape.flag(settlement.isTrial);
  tape.numberOrNull(settlement.setUpAtMs);
  tape.textOrNull(settlement.destinationOff);
  tape.numberOrNull(settlement.holdUntilMs);
}

/** Members of a literal are evaluated in their order, which is the order of `putSettlement`. */
const takeSettlement = <Attempt extends Columns>(tape: TapeReader): Required<PackedSettlement<Attempt>> => ({
  deliveryId: tape.text(),
  // It says which server a delivery lies on; here there is one file, and it does not cross.
  accountId: "",
  claimToken: tape.shared(),
  // The caller names the columns that the other side has put: both sides run the same code.
  attempt: tape.list(takeColumn) as Columns as Attempt,
  next: takeNext(tape),
  isFree: tape.flag(),
  isTrial: tape.flag(),
  setUpAtMs: tape.numberOrNull(),
  destinationOff: tape.textOrNull(),
  holdUntilMs: tape.numberOrNull(),
});

function putNext(tape: TapeWriter, next: Settlement["next"]): void {
  tape.shared(next.state);
  if (next.state === "pending") tape.number(next.dueAtMs);
}

function takeNext(tape: TapeReader): Required<Settlement["next"]> {
  const state = tape.shared<Settlement["next"]["state"]>();
  return state === "pending" ? { state, dueAtMs: tape.number() } : { state };
}

const RESULTS = ["settled", "claim_lost"] as const satisfies readonly SettleResult["kind"][];

export function putSettleResult(tape: TapeWriter, result: SettleResult): void {
  tape.word(RESULTS, result.kind);
  if (result.kind === "claim_lost") return;
  tape.number(result.heldUntilMs);
  tape.textOrNull(result.turnedOff);
}

export function takeSettleResult(tape: TapeReader): Required<SettleResult> {
  const kind = tape.word(RESULTS);
  if (kind === "claim_lost") return { kind };
  return { kind, heldUntilMs: tape.number(), turnedOff: tape.textOrNull() };
}

const putColumn = (tape: TapeWriter, column: Column): void => tape.column(column);
const takeColumn = (tape: TapeReader): Column => tape.column();
