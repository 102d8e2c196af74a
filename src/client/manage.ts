/**
 * `bellwire/client/manage`: an account's webhooks by ids of your own, with a key that manages, where the operator has
 * opened that. Every result is a value: `done`, `refused` (412 where another writer was there before) or `unavailable`.
 */
import { type CallResult, readRefusal, readValue } from "./answers.ts";
import { type AskingOptions, createAsking } from "./asking.ts";
import type { Call, CallOutcome, SendOptions } from "./call.ts";
import { accountPath } from "./set-up.ts";
import type {
  ShownManaged,
  ShownPullToken,
  ShownPut,
  ShownTest,
  ShownWebhookIds,
  WebhookSettings,
  WebhookState,
} from "./managed.ts";

export interface ManageClientOptions extends AskingOptions {
  /** A key that manages, `bwr_…`: of one account, or of all. */
  readonly key: string;
}

/** What you have seen: the `etag` of an answer. Left out, your own is written in any case. */
export interface SeenOptions extends SendOptions {
  readonly ifMatch?: string;
}

export interface PutOptions extends SeenOptions {
  /** Only if there is none; without `ifMatch`. */
  readonly onlyNew?: boolean;
  /** Answers what would be done, or the same refusal, and saves nothing. */
  readonly dryRun?: boolean;
}

export interface ManageClient {
  /** Those that programs made. */
  list(accountId: string, options?: SendOptions): Promise<CallResult<ShownWebhookIds>>;
  /** By the id that a program gave it, or its own. `settings` can be put again: secrets stay. */
  get(accountId: string, id: string, options?: SendOptions): Promise<CallResult<ShownManaged>>;
  /** Makes it or changes it. A call that says what it has seen, and is not answered, is not repeated: look again. */
  put(accountId: string, id: string, settings: WebhookSettings, options?: PutOptions): Promise<CallResult<ShownPut>>;
  delete(accountId: string, id: string, options?: SeenOptions): Promise<CallResult>;
  /** With `backlog: "cancel"` not repeated: what has come to wait since would be cancelled too. */
  setState(accountId: string, id: string, state: WebhookState, options?: SendOptions): Promise<CallResult>;
  /** Sends a sample now; not repeated. It has arrived only where `class` is `success`. */
  test(accountId: string, id: string, options?: SendOptions): Promise<CallResult<ShownTest>>;
  /** The delivery that holds a webhook that gets one at a time, as `head` has it. A repeat skips no other one. */
  skip(accountId: string, id: string, deliveryId: string, options?: SendOptions): Promise<CallResult>;
  /** The token of a webhook that is asked; the one before ends. */
  makePullToken(accountId: string, id: string, options?: SendOptions): Promise<CallResult<ShownPullToken>>;
  /** Sends a delivery again; not repeated. */
  resend(accountId: string, deliveryId: string, options?: SendOptions): Promise<CallResult>;
}

export function createManageClient({ key, ...service }: ManageClientOptions): ManageClient {
  const make = createAsking(service, { key, what: "key", name: "a key that manages" });
  const call = ({ signal, ...rest }: Omit<Call, "signal"> & SendOptions) => make({ ...rest, signal });
  return {
    list: async (accountId, asking) =>
      readValue(await call({ method: "GET", path: `${accountPath(accountId)}/webhook-ids`, ...asking }), "webhooks"),
    get: async (accountId, id, asking) =>
      readValue(await call({ method: "GET", path: webhookPath(accountId, id), ...asking }), "settings"),
    async put(accountId, id, ...[settings, { dryRun = false, onlyNew = false, ifMatch, signal } = {}]) {
      const path = `${webhookPath(accountId, id)}${dryRun ? "?dry_run=1" : ""}`;
      const seen = onlyNew ? { headers: { "if-none-match": "*" }, isOnce: true as const } : ifSeen(ifMatch);
      const content = toContent(settings);
      return readValue(await call({ method: "PUT", path, content, ...seen, ...(signal && { signal }) }), "outcome");
    },
    async delete(accountId, id, { ifMatch, signal } = {}) {
      const path = webhookPath(accountId, id);
      return readDone(await call({ method: "DELETE", path, ...ifSeen(ifMatch), ...(signal && { signal }) }));
    },
    async setState(accountId, id, ...[state, asking]) {
      const path = `${webhookPath(accountId, id)}/state`;
      const once = state.backlog === "cancel" ? { isOnce: true as const } : {};
      return readDone(await call({ method: "PUT", path, content: toContent(state), ...once, ...asking }));
    },
    test: async (accountId, id, asking) =>
      readValue(
        await call({ method: "POST", path: `${webhookPath(accountId, id)}/test`, isOnce: true, ...asking }),
        "sentence",
      ),
    async skip(accountId, id, ...[deliveryId, asking]) {
      const path = `${webhookPath(accountId, id)}/skip`;
      const content = toContent({ delivery_id: deliveryId });
      return readDone(await call({ method: "POST", path, content, isOnce: true, ...asking }));
    },
    makePullToken: async (accountId, id, asking) =>
      readValue(await call({ method: "POST", path: `${webhookPath(accountId, id)}/pull-token`, ...asking }), "token"),
    async resend(accountId, deliveryId, asking) {
      const path = `${accountPath(accountId)}/deliveries/${encodeURIComponent(deliveryId)}/resend`;
      return readDone(await call({ method: "POST", path, isOnce: true, ...asking }));
    },
  };
}

const webhookPath = (accountId: string, id: string): string =>
  `${accountPath(accountId)}/webhooks/${encodeURIComponent(id)}`;

const toContent = (body: object) => ({ type: "application/json", body: JSON.stringify(body) }) as const;

/** After a call that was done, a repeat would be told that somebody has changed it. */
const ifSeen = (etag: string | undefined): Pick<Call, "headers" | "isOnce"> =>
  etag === undefined ? {} : { headers: { "if-match": etag }, isOnce: true };

function readDone(outcome: CallOutcome): CallResult {
  if (outcome.kind === "unavailable") return outcome;
  return outcome.status === 204 ? { kind: "done", value: null } : readRefusal(outcome);
}
