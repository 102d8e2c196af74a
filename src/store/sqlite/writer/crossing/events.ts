/** `acceptEvents` on a tape: the call, and its answer. The readers' types fail to compile when the contract grows. */
import type { AcceptedEvent, AcceptEvents, Claim, NewDelivery, NewEvent } from "../../../contract/path.ts";
import type { TapeReader, TapeWriter } from "./tape.ts";

export function putAcceptEvents(tape: TapeWriter, { nowMs, claim, events }: AcceptEvents): void {
  tape.number(nowMs);
  tape.shared(claim.token);
  tape.number(claim.untilMs);
  tape.list(events, putEvent);
}

export function takeAcceptEvents(tape: TapeReader): Required<AcceptEvents> {
  const nowMs = tape.number();
  const claim: Required<Claim> = { token: tape.shared(), untilMs: tape.number() };
  return { nowMs, claim, events: tape.list(takeEvent) };
}

function putEvent(tape: TapeWriter, event: NewEvent): void {
  tape.text(event.id);
  tape.shared(event.accountId);
  tape.number(event.configVersion);
  tape.shared(event.type);
  tape.text(event.sourceId);
  tape.textOrNull(event.assistantId ?? null);
  tape.text(event.body);
  tape.list(event.deliveries, putDelivery);
  putRare(tape, event);
}

/** Members of a literal are evaluated in their order, which is the order of `putEvent`. */
const takeEvent = (tape: TapeReader): Required<NewEvent> => ({
  id: tape.text(),
  accountId: tape.shared(),
  configVersion: tape.number(),
  type: tape.shared(),
  sourceId: tape.text(),
  assistantId: tape.textOrNull(),
  body: tape.text(),
  deliveries: tape.list(takeDelivery),
  ...takeRare(tape),
});

type Rare = Required<Pick<NewEvent, "traceContext" | "inboxSeq" | "notSent">>;

/** Most events have none of these: one number says which. */
function putRare(tape: TapeWriter, { traceContext = null, inboxSeq = null, notSent = null }: NewEvent): void {
  tape.number((traceContext === null ? 0 : 1) + (inboxSeq === null ? 0 : 2) + (notSent === null ? 0 : 4));
  if (traceContext !== null) tape.text(traceContext);
  if (inboxSeq !== null) tape.number(inboxSeq);
  // Events of the same kind have the same reasons, and their routing keeps the text.
  if (notSent !== null) tape.shared(notSent);
}

function takeRare(tape: TapeReader): Rare {
  const which = tape.number();
  return {
    traceContext: (which & 1) === 0 ? null : tape.text(),
    inboxSeq: (which & 2) === 0 ? null : tape.number(),
    notSent: (which & 4) === 0 ? null : tape.shared(),
  };
}

function putDelivery(tape: TapeWriter, delivery: NewDelivery): void {
  tape.text(delivery.id);
  tape.shared(delivery.destinationId);
  tape.flag(delivery.claimed);
}

const takeDelivery = (tape: TapeReader): Required<NewDelivery> => ({
  id: tape.text(),
  destinationId: tape.shared(),
  claimed: tape.flag(),
});

const ANSWERS = ["accepted", "duplicate", "config_changed"] as const satisfies readonly AcceptedEvent["kind"][];

export function putAcceptedEvent(tape: TapeWriter, answer: AcceptedEvent): void {
  tape.word(ANSWERS, answer.kind);
  switch (answer.kind) {
    case "accepted":
      return tape.list(answer.unclaimed, putText);
    case "duplicate":
      tape.text(answer.eventId);
      tape.number(answer.deliveries);
      return tape.flag(answer.differs);
    case "config_changed":
      return;
  }
}

export function takeAcceptedEvent(tape: TapeReader): Required<AcceptedEvent> {
  const kind = tape.word(ANSWERS);
  switch (kind) {
    case "accepted":
      return { kind, unclaimed: tape.list(takeText) };
    case "duplicate":
      return { kind, eventId: tape.text(), deliveries: tape.number(), differs: tape.flag() };
    case "config_changed":
      return { kind };
  }
}

const putText = (tape: TapeWriter, text: string): void => tape.text(text);
const takeText = (tape: TapeReader): string => tape.text();
