/**
 * Account and event of a message: headers first, then the subject, then the settings. Each is looked for by itself, so
 * that a subject may name the event and a header the account.
 */
import type { BridgeConfig } from "./options.ts";
import { readSubject } from "./option-text.ts";
import { TYPE_NAME } from "../src/domain/event.ts";
import { type Result, ok, refuse } from "../src/lib/result.ts";
import type { Fault, Message } from "./port.ts";

export const ACCOUNT_HEADER = "bellwire-account";
export const EVENT_HEADER = "bellwire-event";

export interface Address {
  readonly account: string;
  readonly event: string;
}

type Rules = Pick<BridgeConfig, "bridgeSubject" | "bridgeAccount" | "bridgeEvent">;
type Addressed = Pick<Message, "headers" | "subject" | "key">;

/**
 * As intake checks it; the text becomes part of a path, in which "." and ".." would name another address: every call
 * would get an answer about no record, and the records behind would wait without end.
 */
const ACCOUNT_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;

export function readAddress({ headers, subject, key }: Addressed, rules: Rules): Result<Address, Fault> {
  const named = readSubject(rules.bridgeSubject, subject);
  const byRule = rules.bridgeAccount === "{key}" ? key : rules.bridgeAccount;
  const account = headers[ACCOUNT_HEADER] ?? named.account ?? byRule ?? "";
  if (account === "") return refuse(missing("account", ACCOUNT_HEADER, rules));
  if (!ACCOUNT_ID.test(account)) return refuse(badAccount);
  const given = headers[EVENT_HEADER];
  const event = given ?? named.event ?? rules.bridgeEvent;
  if (event !== null && !TYPE_NAME.test(event)) return refuse(badEvent);
  return event === null ? refuse(missing("event", EVENT_HEADER, rules)) : ok({ account, event });
}

const missing = (what: string, header: string, { bridgeSubject: { text } }: Rules): Fault => ({
  code: `no_${what}`,
  detail:
    `The message names no ${what}. Send the header ${header}, use a subject such as ${text}, ` +
    `or set BELLWIRE_BRIDGE_${what.toUpperCase()}.`,
});

const badAccount: Fault = {
  code: "invalid_parameter",
  detail: "The message's account must have 1 to 128 characters of A-Z a-z 0-9 . _ : - and not be . or .. alone",
};

const badEvent: Fault = {
  code: "unknown_event",
  detail: `The header ${EVENT_HEADER} must be the name of an event type.`,
};
