/** What every route works with: the program's parts, news for open pages, and the account as it is now. */
import type { AccountsContext } from "../../accounts/context.ts";
import type { Actor } from "../../domain/account.ts";
import type { Acceptance } from "../../delivery/accept.ts";
import type { DeliveryContext } from "../../delivery/context.ts";
import type { Engine } from "../../delivery/engine.ts";
import type { SendResult } from "../../domain/attempt.ts";
import type { ChannelAnswer } from "../../domain/channel.ts";
import type { Result } from "../../domain/problem.ts";
import type { ParsedRecord } from "../../events/event-type.ts";
import type { StoredChannel } from "../../store/contract/recipients.ts";
import type { LiveFrames } from "../contract/live.ts";

/** Bounds the tests that an account has under way; `tests/slots.ts` makes it. */
export interface TestSlots {
  /** Runs `work` when the account has a slot, and refuses with `too_many_tests` when it has none. */
  run<Value>(accountId: string, work: () => Promise<Result<Value>>): Promise<Result<Value>>;
}

export interface DashboardContext {
  readonly accounts: AccountsContext;
  readonly delivery: DeliveryContext;
  readonly engine: Pick<Engine, "nudge">;
  /** The same acceptance as intake's: the playground is a product that somebody plays by hand. */
  readonly accept: (accountId: string, records: readonly ParsedRecord[]) => Promise<Result<readonly Acceptance[]>>;
  /** The news for open pages. Every successful change by a route is sent as `configuration` by itself. */
  readonly live: LiveNews;
  /** How many tests an account may have under way. */
  readonly tests: TestSlots;
  /** To be called before each check of a signature; true when the account has had too many. */
  readonly isCheckedTooOften: (accountId: string) => boolean;
  readonly hasPlayground: boolean;
  /** The operator lets programs manage webhooks. */
  readonly hasManagement: boolean;
  /** For the form's words only; the egress guard enforces it. */
  readonly httpsOnly: boolean;
  /** The operator has set up e-mail. */
  readonly hasMail: boolean;
  /** As people write them into a firewall. */
  readonly sourceAddresses: readonly string[];
  /** Where an owner changes the plan; `null` where the operator names no place. */
  readonly upgradeUrl: string | null;
  /** The operator lets pages of other origins frame ours, so a session may be one of a frame. */
  readonly mayBeFramed: boolean;
  /** The installation is held until it is adopted. */
  readonly isHeld: () => boolean;
  /** There is an e-mail to send. Without it the e-mail goes out seconds later. */
  readonly nudgeMail: () => void;
  readonly channels: ChannelsPort;
}

/** All that reading takes, for a page and for a program alike (`src/programs`). */
export type ReadContext = Pick<DashboardContext, "accounts" | "delivery">;

/** The only account that a reader may look into: a session's, or one that a read key opens. */
export interface Reader {
  readonly accountId: string;
}

/** Who changes something in the one account that is open to them: a session, or a key of a program that manages. */
export interface Caller extends Reader {
  /** For the audit. */
  readonly by: Actor;
}

/** Channels for news about failures, as a person at the page uses them. */
interface ChannelsPort {
  /** A digest may be due. Without it the digest goes out seconds later. */
  nudge(): void;
  /** Sends one test now. `null` when the account could not be confirmed in time. */
  test(wanted: {
    readonly accountId: string;
    readonly accountName: string;
    readonly channel: Pick<StoredChannel, "id" | "kind" | "sealedUrl">;
  }): Promise<{
    readonly result: SendResult;
    readonly startedAtMs: number;
    readonly answer: ChannelAnswer | null;
  } | null>;
}

/*
 * News of an account for the pages that are open on it. A port: code that changes something tells it here, and
 * `live/hub.ts` passes it on. Telling never fails and never waits; without a listener it costs a look into a map.
 */

export type LiveDelivery = LiveFrames["deliveries"]["changed"][number];

export interface LiveNews {
  deliveriesChanged(accountId: string, deliveries: readonly LiveDelivery[]): void;
  /** Their state or their health. */
  destinationsChanged(accountId: string, destinationIds: readonly string[]): void;
  replaysChanged(accountId: string, replayIds: readonly string[]): void;
  /** Somebody saved something, or did something that the audit lists. */
  configurationChanged(accountId: string): void;
  /**
   * Their streams end now, and the account's other pages hear that the list has changed. The next call of each session
   * is refused by the store in any case.
   */
  sessionsEnded(accountId: string, sessionIds: readonly string[]): void;
}
