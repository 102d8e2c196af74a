/**
 * Where each verb of the contract belongs when accounts lie in several groups of buckets (`../buckets/groups.ts`). A
 * verb without a place does not compile.
 *
 * - `one bucket`: an account's, or the one that a token is marked with.
 * - `split`: it names several accounts. Each group gets its part in a transaction of its own.
 * - `in all`: it looks for something wherever it is: each group is asked, one after the other, and one that is away is
 *   passed over. `rest` is what the next group is still asked for; `null`: enough is found. `looks.ts` says which
 *   groups need not be asked.
 * - `by server`: one statement that reads all of a server's groups at once.
 * - `LOCAL`: it is about the installation itself, whose tables stand on one server.
 */
import { bucketOf, bucketOfMarked } from "../../../lib/bucket.ts";
import type { VerbAnswer, VerbParams } from "../../calls.ts";
import type { VerbName } from "../../contract/verbs.ts";
import type { AttemptColumns } from "../attempts.ts";

export type Params<Name extends VerbName> = VerbParams<Name, AttemptColumns>;

export type Place<Name extends VerbName> = OneBucket<Name> | Split<Name> | InAll<Name> | ByServer<Name> | typeof LOCAL;

export interface OneBucket<Name extends VerbName> {
  readonly kind: "one bucket";
  bucketOf(params: Params<Name>): number;
}

export interface Split<Name extends VerbName> {
  readonly kind: "split";
  /** The buckets of its items, in their order. */
  bucketsOf(params: Params<Name>): readonly number[];
  /** The same call with some of its items, by their places. */
  only(params: Params<Name>, places: readonly number[]): Params<Name>;
  /** `places`: those of each part's items. */
  join(parts: readonly PartAnswer<Name>[]): VerbAnswer<Name>;
  /** The answer of a part whose server is away; without it the whole call fails. */
  ofAway?(params: Params<Name>): VerbAnswer<Name>;
}

export interface PartAnswer<Name extends VerbName> {
  readonly answer: VerbAnswer<Name>;
  readonly places: readonly number[];
}

export interface InAll<Name extends VerbName> {
  readonly kind: "in all";
  /** The answer where there is nothing. */
  readonly none: VerbAnswer<Name>;
  rest(params: Params<Name>, soFar: VerbAnswer<Name>): Params<Name> | null;
  join(one: VerbAnswer<Name>, other: VerbAnswer<Name>): VerbAnswer<Name>;
  /** The answer when some groups were not asked because enough was found; the same unless given. */
  cut?(answer: VerbAnswer<Name>): VerbAnswer<Name>;
  /** The answer when some groups could not be asked; the same unless given. */
  without?(answer: VerbAnswer<Name>): VerbAnswer<Name>;
}

export interface ByServer<Name extends VerbName> {
  readonly kind: "by server";
  join(one: VerbAnswer<Name>, other: VerbAnswer<Name>): VerbAnswer<Name>;
}

const LOCAL = { kind: "local" } as const;

interface OfAccount {
  readonly accountId: string;
}

const OF_ACCOUNT = {
  kind: "one bucket",
  bucketOf: ({ accountId }: OfAccount) => bucketOf(accountId),
} as const;

const OF_TOKEN = {
  kind: "one bucket",
  bucketOf: ({ tokenHash }: { readonly tokenHash: string }) => bucketOfMarked(tokenHash),
} as const;

const OF_SESSION = {
  kind: "one bucket",
  bucketOf: ({ sessionHash }: { readonly sessionHash: string }) => bucketOfMarked(sessionHash),
} as const;

/** The answers of items, each back in its place. */
function inPlaces<Item>(parts: readonly { readonly answer: readonly Item[]; readonly places: readonly number[] }[]) {
  const items: Item[] = [];
  for (const { answer, places } of parts) answer.forEach((item, at) => (items[places[at] ?? 0] = item));
  return items;
}

const pick = <Item>(items: readonly Item[], places: readonly number[]): Item[] =>
  places.flatMap((place) => items.slice(place, place + 1));

const bucketsOfAccounts = (items: readonly OfAccount[]): number[] => items.map(({ accountId }) => bucketOf(accountId));

/** Each group is asked the same. */
const SAME = <Given>(params: Given): Given => params;

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

export const PLACES: { readonly [Name in VerbName]: Place<Name> } = {
  acceptEvents: {
    kind: "split",
    bucketsOf: ({ events }) => bucketsOfAccounts(events),
    only: (params, places) => ({ ...params, events: pick(params.events, places) }),
    join: inPlaces,
  },
  settleAttemptsIfClaimed: {
    kind: "split",
    bucketsOf: ({ settlements }) => bucketsOfAccounts(settlements),
    only: (params, places) => ({ ...params, settlements: pick(params.settlements, places) }),
    join: inPlaces,
  },
  releaseClaims: {
    kind: "split",
    bucketsOf: ({ claims }) => bucketsOfAccounts(claims),
    only: (params, places) => ({ ...params, claims: pick(params.claims, places) }),
    join: (parts) => ({ released: parts.reduce((sum, { answer }) => sum + answer.released, 0) }),
  },
  claimDueDeliveries: {
    kind: "in all",
    none: [],
    rest(params, claimed) {
      const deliveriesMax = params.deliveriesMax - claimed.length;
      const bodyCharsMax = params.bodyCharsMax - claimed.reduce((sum, { body }) => sum + body.length, 0);
      return deliveriesMax <= 0 || bodyCharsMax <= 0 ? null : { ...params, deliveriesMax, bodyCharsMax };
    },
    join: (one, other) => [...one, ...other],
  },
  findNextDue: {
    kind: "by server",
    join: (one, other) => ({ dueAtMs: earlier(one.dueAtMs, other.dueAtMs) }),
  },

  putAccount: { kind: "one bucket", bucketOf: ({ account }) => bucketOf(account.id) },
  putChatAssistant: OF_ACCOUNT,
  saveAlert: OF_ACCOUNT,
  deleteAlert: OF_ACCOUNT,
  saveAssistantDestination: OF_ACCOUNT,
  removeAssistantDestination: OF_ACCOUNT,
  loadAccount: OF_ACCOUNT,
  loadAssistant: OF_ACCOUNT,
  loadConfigVersions: {
    kind: "split",
    bucketsOf: ({ accountIds }) => accountIds.map(bucketOf),
    only: ({ accountIds }, places) => ({ accountIds: pick(accountIds, places) }),
    join: (parts) => parts.flatMap(({ answer }) => answer),
    ofAway: ({ accountIds }) => accountIds.map((accountId) => ({ accountId, configVersion: null })),
  },
  rotateSecret: OF_ACCOUNT,
  switchSecret: OF_ACCOUNT,

  setDestinationState: OF_ACCOUNT,
  sendWaiting: OF_ACCOUNT,
  listDestinationChanges: OF_ACCOUNT,
  loadDestinations: OF_ACCOUNT,
  cancelWaiting: OF_ACCOUNT,
  expireWaiting: {
    kind: "in all",
    none: { expired: 0 },
    rest: (params, { expired }) =>
      expired >= params.rowsMax ? null : { ...params, rowsMax: params.rowsMax - expired },
    join: (one, other) => ({ expired: one.expired + other.expired }),
  },
  countWaiting: {
    kind: "in all",
    none: { waiting: 0, oldestDueAtMs: null },
    rest: SAME,
    join: (one, other) => ({
      waiting: one.waiting + other.waiting,
      oldestDueAtMs: earlier(one.oldestDueAtMs, other.oldestDueAtMs),
    }),
    without: (answer) => ({ ...answer, isPart: true }),
  },
  countDestinations: {
    kind: "by server",
    join: (one, other) => ({
      on: one.on + other.on,
      paused: one.paused + other.paused,
      off: one.off + other.off,
      failing: one.failing + other.failing,
      held: one.held + other.held,
    }),
  },

  listIncidents: OF_ACCOUNT,
  countIncident: OF_ACCOUNT,

  listDeliveries: OF_ACCOUNT,
  countDeliveries: OF_ACCOUNT,
  loadDelivery: OF_ACCOUNT,
  listEvents: OF_ACCOUNT,
  loadEvent: OF_ACCOUNT,
  countAttempts: OF_ACCOUNT,
  loadActivity: OF_ACCOUNT,
  recordTestDelivery: OF_ACCOUNT,
  requestResends: OF_ACCOUNT,
  purge: {
    kind: "in all",
    none: { purged: 0, hasMore: false },
    rest: (params, { purged }) => (purged >= params.rowsMax ? null : { ...params, rowsMax: params.rowsMax - purged }),
    join: (one, other) => ({ purged: one.purged + other.purged, hasMore: one.hasMore || other.hasMore }),
  },

  searchDeliveries: OF_ACCOUNT,
  searchEvents: OF_ACCOUNT,
  indexEvents: {
    kind: "in all",
    none: { indexed: 0, hasMore: false },
    rest(params, { indexed }) {
      const eventsMax = params.eventsMax - indexed;
      return eventsMax <= 0 ? null : { ...params, eventsMax };
    },
    cut: ({ indexed }) => ({ indexed, hasMore: true }),
    join: (one, other) => ({ indexed: one.indexed + other.indexed, hasMore: one.hasMore || other.hasMore }),
  },

  createReplay: OF_ACCOUNT,
  listReplays: OF_ACCOUNT,
  loadReplay: OF_ACCOUNT,
  stepReplays: {
    kind: "in all",
    none: { running: 0, moved: 0, replays: [] },
    rest(params, { moved }) {
      const deliveriesMax = params.deliveriesMax - moved;
      return deliveriesMax <= 0 ? null : { ...params, deliveriesMax };
    },
    join: (one, other) => ({
      running: one.running + other.running,
      moved: one.moved + other.moved,
      replays: [...one.replays, ...other.replays],
    }),
  },
  setReplayState: OF_ACCOUNT,

  createSignInLink: OF_ACCOUNT,
  openSession: OF_TOKEN,
  loadSession: OF_SESSION,
  endSession: OF_SESSION,
  listSessions: OF_ACCOUNT,
  endSessions: OF_ACCOUNT,
  writeAudit: OF_ACCOUNT,
  listAudit: OF_ACCOUNT,

  addMailAddress: OF_ACCOUNT,
  removeMailAddress: OF_ACCOUNT,
  requestConfirmation: OF_ACCOUNT,
  loadMailAddresses: OF_ACCOUNT,
  loadMailLink: OF_TOKEN,
  useMailLink: OF_TOKEN,
  claimConfirmations: {
    kind: "in all",
    none: [],
    rest(params, claimed) {
      const secretHashes = params.secretHashes.slice(claimed.length);
      return secretHashes.length === 0 ? null : { ...params, secretHashes };
    },
    join: (one, other) => [...one, ...other],
  },
  settleConfirmationIfClaimed: OF_ACCOUNT,
  claimDigests: {
    kind: "in all",
    none: [],
    rest: restOfDigests,
    join: (one, other) => [...one, ...other],
  },
  settleDigestIfClaimed: OF_ACCOUNT,

  addChannel: OF_ACCOUNT,
  removeChannel: OF_ACCOUNT,
  loadChannels: OF_ACCOUNT,
  noteChannelTest: OF_ACCOUNT,
  claimChannelDigests: {
    kind: "in all",
    none: [],
    rest: restOfDigests,
    join: (one, other) => [...one, ...other],
  },
  settleChannelDigestIfClaimed: OF_ACCOUNT,

  listUnreadCertificates: {
    kind: "in all",
    none: [],
    rest: ({ limit }, found) => (found.length >= limit ? null : { limit: limit - found.length }),
    join: (one, other) => [...one, ...other],
  },
  noteCertificateEnd: OF_ACCOUNT,

  noteCondition: LOCAL,
  claimOperatorNotices: LOCAL,
  settleOperatorNoticeIfClaimed: LOCAL,

  claimInboxRecords: LOCAL,
  releaseInboxRecordsIfClaimed: LOCAL,
  refuseInboxRecordsIfClaimed: LOCAL,
  listRefusedRecords: LOCAL,
  countInbox: LOCAL,

  probe: LOCAL,
  loadSetting: LOCAL,
  saveSetting: LOCAL,
  saveSettingUnlessThere: LOCAL,
};

function restOfDigests<Given extends { readonly digestsMax: number }>(
  params: Given,
  claimed: readonly unknown[],
): Given | null {
  const digestsMax = params.digestsMax - claimed.length;
  return digestsMax <= 0 ? null : { ...params, digestsMax };
}
