/**
 * An account's set-up: its name and plan, alerts, chat assistants, their webhooks, and the secret that signs. Each
 * change grows the account's version, so that an accept that was decided with an older one is refused.
 */
import type { Account, Actor, ChatAssistant } from "../../domain/account.ts";
import type { DemoAlert } from "../../domain/alert.ts";
import type { Authentication } from "../../domain/authentication.ts";
import type { Conditions } from "../../domain/conditions.ts";
import type { DestinationOffReason, DestinationState } from "../../domain/destination.ts";
import type { Webhook } from "../../domain/webhook.ts";
import type { KeptSettings } from "../../domain/webhook-form.ts";
import { OF_ACCOUNT, pick, type VerbTable } from "./verb-table.ts";

export interface AccountsVerbs {
  /** The id of a deleted account stays taken. */
  putAccount(params: PutAccount): Promise<{ created: boolean; isDeleted?: true }>;
  /**
   * Suspending pauses what is on, and resuming turns just that on again. Deleting takes away at once what makes the
   * account live; the rest of its rows goes in steps of `purge`, but for its keys against repeats.
   */
  setAccountState(params: SetAccountState): Promise<AccountStateNow | "missing">;
  putChatAssistant(params: PutChatAssistant): Promise<{ created: boolean } | { missing: "account" }>;
  saveAlert(params: SaveAlert): Promise<SaveOwnerResult>;
  /**
   * Its destination goes with it: nothing more is sent, and what waits is cancelled by `cancelWaiting` (or at last by
   * `expireWaiting`). Deliveries that were sent stay in the log, which names the alert for as long as there is
   * something of it.
   */
  deleteAlert(params: DeleteOwner): Promise<DeleteOwnerResult>;
  /** The same of a webhook of its own. */
  saveWebhook(params: SaveWebhook): Promise<SaveOwnerResult>;
  deleteWebhook(params: DeleteOwner): Promise<DeleteOwnerResult>;
  saveAssistantDestination(params: SaveAssistantDestination): Promise<SaveAssistantDestinationResult>;
  /** Its conditions go with it. */
  removeAssistantDestination(params: RemoveAssistantDestination): Promise<"removed" | "missing" | "edited_meanwhile">;
  loadAccount(params: { accountId: string }): Promise<StoredAccount | null>;
  /** Those whose ids are `from` or behind it, in the order of ids. */
  listAccounts(params: { readonly from: string; readonly limit: number }): Promise<ListedAccounts>;
  /** One of them, however many the account has. */
  loadAssistant(params: { accountId: string; assistantId: string }): Promise<StoredAssistant | null>;
  /**
   * `config_version` of each account that exists. A change that was answered before the call is in the answer. Accounts
   * of a server that is away keep no other from its answer.
   */
  loadConfigVersions(params: { readonly accountIds: readonly string[] }): Promise<readonly ConfigVersion[]>;
  /**
   * A new secret becomes the current one. The one before it is the previous one until `previousStopsAtMs`, or gone at
   * once, and a previous one with it.
   */
  rotateSecret(params: RotateSecret): Promise<"rotated" | "rotating_already" | "missing">;
  /**
   * One of the two is left, as the current one. `onlyIfDue`: not before the previous one has stopped, for the
   * housekeeping. One that has stopped is not kept.
   */
  endRotation(params: EndRotation): Promise<"ended" | "unchanged">;
  addSigningKey(params: AddSigningKey): Promise<"added" | "exists" | "missing">;
  removeSigningKey(params: RemoveSigningKey): Promise<"removed" | "missing">;
}

export const ACCOUNTS_VERBS = {
  putAccount: { kind: "set-up", route: { kind: "account", accountOf: ({ account }) => account.id, creates: true } },
  setAccountState: { kind: "set-up", route: OF_ACCOUNT },
  putChatAssistant: { kind: "set-up", route: OF_ACCOUNT },
  saveAlert: { kind: "set-up", route: OF_ACCOUNT },
  deleteAlert: { kind: "set-up", route: OF_ACCOUNT },
  saveWebhook: { kind: "set-up", route: OF_ACCOUNT },
  deleteWebhook: { kind: "set-up", route: OF_ACCOUNT },
  saveAssistantDestination: { kind: "set-up", route: OF_ACCOUNT },
  removeAssistantDestination: { kind: "set-up", route: OF_ACCOUNT },
  loadAccount: { kind: "path", reads: true, route: OF_ACCOUNT },
  listAccounts: {
    kind: "side",
    reads: true,
    route: { kind: "all", join: joinAccounts, without: (answer) => ({ ...answer, isPart: true }) },
  },
  loadAssistant: { kind: "path", reads: true, route: OF_ACCOUNT },
  loadConfigVersions: {
    kind: "path",
    reads: true,
    route: {
      kind: "accounts",
      accountsOf: ({ accountIds }) => accountIds,
      only: ({ accountIds }, indexes) => ({ accountIds: pick(accountIds, indexes) }),
      join: (parts) => parts.flatMap(({ answer }) => answer),
      ofAway: ({ accountIds }) => accountIds.map((accountId) => ({ accountId, configVersion: null })),
    },
  },
  rotateSecret: { kind: "set-up", route: OF_ACCOUNT },
  endRotation: { kind: "set-up", route: OF_ACCOUNT },
  addSigningKey: { kind: "set-up", route: OF_ACCOUNT },
  removeSigningKey: { kind: "set-up", route: OF_ACCOUNT },
} satisfies VerbTable<AccountsVerbs>;

export interface ListedAccount extends Account {
  readonly createdAtMs: number;
  readonly isSuspended: boolean;
}

export interface ListedAccounts {
  readonly accounts: readonly ListedAccount[];
  /** A server that has some of the accounts is away: theirs are not among these. */
  readonly isPart?: true;
}

/** One that moves may be in both for a moment. Behind `limit` there are more than each shard was asked for. */
function joinAccounts(one: ListedAccounts, other: ListedAccounts): ListedAccounts {
  const byId = new Map([...one.accounts, ...other.accounts].map((account) => [account.id, account]));
  return { accounts: [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

export interface PutAccount {
  readonly account: Account;
  /** Kept only when the account is new: an account's secret does not change because it is put again. */
  readonly newSealedSecret: string;
  readonly nowMs: number;
}

export interface SetAccountState {
  readonly accountId: string;
  readonly state: "active" | "suspended" | "deleted";
  /** Not the first call of this change: it changes nothing where another change has begun since. */
  readonly goesOn?: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface AccountStateNow {
  /** `deleting`: rows of it are still there. A deleted one stays so. */
  readonly state: "active" | "suspended" | "deleting" | "deleted";
  readonly changed: boolean;
  /** Some of its webhooks are still as they were: the next call, which says `goesOn`, changes further ones. */
  readonly hasMore: boolean;
}

export interface PutChatAssistant {
  readonly accountId: string;
  readonly assistant: ChatAssistant;
  /** False leaves an assistant that exists as it is (a conversation only needs it to be there). */
  readonly rename: boolean;
  readonly nowMs: number;
}

/** A custom header as stored: `value` is sealed when `secret`. */
export interface StoredHeader {
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

/** Which program made a webhook, if any: kept from its first save on, whoever saves it later. */
export interface MadeBy {
  /** The program's own id for it: `null` where a person made it. An account has one once. */
  readonly callerId: string | null;
  /** When `bellwire apply` made it; `null` where it did not. */
  readonly appliedAtMs: number | null;
}

export interface DestinationSetup extends KeptSettings, Partial<MadeBy> {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly StoredHeader[];
  /** Client secret and private key sealed; `null` or left out for no access token and no client certificate. */
  readonly authentication?: Authentication | null;
  /** When the client certificate in it ends; `null` or left out where there is none. */
  readonly certificateEndsAtMs?: number | null;
  /** Of one that is asked: when its owner goes by itself; never when left out. */
  readonly endsAtMs?: number | null;
}

interface Save {
  readonly accountId: string;
  /** Refuses what a save refuses, and writes nothing. */
  readonly isDryRun?: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

/** An owner of a destination that people make and name: an alert, or a webhook of its own. */
interface SaveOwner extends Save {
  /** `null` leaves the destination as it is: none, or the one that was saved before. */
  readonly destination: DestinationSetup | null;
  /** `null` creates; else the revision that the editor saw. */
  readonly expectedRevision: number | null;
}

export interface SaveAlert extends SaveOwner {
  readonly alert: DemoAlert;
  readonly alertsMax: number;
}

export interface SaveWebhook extends SaveOwner {
  readonly webhook: Webhook;
  /** It always has one. */
  readonly destination: DestinationSetup;
  readonly webhooksMax: number;
}

/**
 * `missing`: it never was, or is deleted. `edited_meanwhile`: also, with revision 0, when the program's id has been
 * given meanwhile. `older_nodes`: nodes may run that would not know the destination's body, and would send the event
 * instead, would call one that is asked, or one that gets one at a time as they please, or would not find the types of
 * a group.
 */
export type SaveOwnerResult =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "account_missing" }
  | { readonly kind: "missing" }
  | { readonly kind: "limit_reached" }
  | { readonly kind: "older_nodes" }
  | { readonly kind: "edited_meanwhile"; readonly revision: number };

export interface SaveAssistantDestination extends Save {
  readonly assistantId: string;
  readonly destination: DestinationSetup;
  /** None when left out. */
  readonly conditions?: Conditions | null;
  readonly expectedRevision: number;
  /** The account's assistants with a webhook; without a bound when left out. */
  readonly assistantsMax?: number;
}

/**
 * `edited_meanwhile` also when it has got a destination of another id, as sealed headers belong to one; or when the
 * program's id has been given meanwhile.
 */
export type SaveAssistantDestinationResult =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "assistant_missing" }
  | { readonly kind: "limit_reached" }
  | { readonly kind: "older_nodes" }
  | { readonly kind: "edited_meanwhile"; readonly revision: number };

export interface StoredDestination extends Omit<DestinationSetup, keyof MadeBy | "endsAtMs">, MadeBy {
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  /** Start of the unbroken run of failed attempts, or `null` when the last one succeeded. */
  readonly failingSinceMs: number | null;
  /** When its settings were saved last. */
  readonly setUpAtMs: number;
}

/** Everything that deciding and delivering need to know of an account, read in one transaction. */
export interface StoredAccount extends Account {
  readonly isSuspended: boolean;
  /** Grows with every change of anything below; an accept made with an older one is refused. */
  readonly configVersion: number;
  readonly secrets: StoredSecrets;
  readonly alerts: readonly (DemoAlert & StoredOwner)[];
  readonly assistants: readonly StoredAssistant[];
  readonly webhooks: readonly (Webhook & StoredOwner & { readonly destination: StoredDestination })[];
}

/** `conditions`: those of its webhook; `null` for none. */
export type StoredAssistant = ChatAssistant & StoredOwner & { readonly conditions: Conditions | null };

/** `secret` makes the HMAC signatures, `key` the Ed25519 ones where the owner wants them. */
export type SecretKind = "secret" | "key";

/** Sealed. While a rotation lasts there is a previous one, which signs until its instant. */
export interface StoredRotating {
  readonly current: { readonly sealed: string; readonly createdAtMs: number };
  readonly previous: { readonly sealed: string; readonly createdAtMs: number; readonly stopsAtMs: number } | null;
}

/** The secret, and the key where there is one. */
export interface StoredSecrets extends StoredRotating {
  readonly signingKey: StoredRotating | null;
}

/** Fields that all owners share. `changed`: who saved it last; `null` when that was before it was kept. */
export interface StoredOwner {
  readonly revision: number;
  readonly changed: { readonly by: string; readonly atMs: number } | null;
  readonly destination: StoredDestination | null;
}

export interface DeleteOwner {
  readonly accountId: string;
  /** The alert's, or the webhook's. */
  readonly id: string;
  readonly expectedRevision: number;
  readonly by: Actor;
  readonly nowMs: number;
}

export type DeleteOwnerResult = "deleted" | "missing" | "edited_meanwhile";

export interface RemoveAssistantDestination {
  readonly accountId: string;
  readonly assistantId: string;
  readonly expectedRevision: number;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RotateSecret {
  readonly accountId: string;
  readonly kind: SecretKind;
  readonly newSealedSecret: string;
  /** `null`: at once. */
  readonly previousStopsAtMs: number | null;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface EndRotation {
  readonly accountId: string;
  readonly kind: SecretKind;
  /** `previous` takes the rotation back. */
  readonly keep: "current" | "previous";
  readonly onlyIfDue: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface AddSigningKey {
  readonly accountId: string;
  readonly sealed: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RemoveSigningKey {
  readonly accountId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface ConfigVersion {
  readonly accountId: string;
  /** `null`: the server that has the account cannot be reached now. */
  readonly configVersion: number | null;
}
