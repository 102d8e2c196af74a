/**
 * `bellwire/client`: a product's back end reports to the service what happened, with Node's own `fetch` alone.
 *
 * Every result is a value: `accepted`, `refused` (correct the record) or `unavailable` (send it again later, with the
 * same id). Sending again is always safe, so the client retries by itself for a while.
 */
import { type CallResult, type SendResult as AnySendResult, readBatchResults, readSendResult } from "./answers.ts";
import { splitIntoBatches } from "./batches.ts";
import { type AskingOptions, createAsking } from "./asking.ts";
import type { Call, MakeCall, SendOptions } from "./call.ts";
import type { LinkFor } from "./link-for.ts";
import type { ChatConversationFields, DemoSession as DemoSessionRecord } from "./records.ts";
import { createPeople, type ErasedPerson } from "./people.ts";
import { type EndedSessions, type Session, type SignedOut, createSessions } from "./sessions.ts";
import { type Account, type DashboardLink, accountPath, createSetUp } from "./set-up.ts";

export type DemoSession = DemoSessionRecord;
/** Look at `kind`: `accepted`, `refused` or `unavailable`. */
export type SendResult = AnySendResult;

/** A conversation carries its text in one of two forms: messages, or a ready transcript. */
export type ChatConversation = Omit<ChatConversationFields, "mode" | "messages" | "transcript" | "message_count"> &
  (
    | {
        readonly mode: "text" | "voice";
        readonly messages: NonNullable<ChatConversationFields["messages"]>;
        readonly transcript?: undefined;
        readonly message_count?: undefined;
      }
    | {
        readonly transcript: string;
        readonly message_count: number;
        readonly mode?: undefined;
        readonly messages?: undefined;
      }
  );

export interface ClientOptions extends AskingOptions {
  /** The intake key: `BELLWIRE_API_KEY`. */
  readonly key: string;
}

type Many<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * The records that a client may send, by event type: `createClient<EventRecords>(…)` takes those that
 * `bellwire events types` prints. Without them every name is taken, with any object.
 */
type AnyRecords = Readonly<Record<string, object>>;

export interface Client<Records extends object = AnyRecords> {
  /** Sends a record of an event type, built in or declared. */
  sendEvent<Type extends keyof Records & string>(
    accountId: string,
    type: Type,
    record: Records[Type] & object,
    options?: SendOptions,
  ): Promise<SendResult>;
  /** One result for each record, in order, as each batch of up to 1,000 is answered. Reads on only when asked to. */
  sendEvents<Type extends keyof Records & string>(
    accountId: string,
    type: Type,
    records: Many<Records[Type] & object>,
    options?: SendOptions,
  ): AsyncGenerator<SendResult>;
  sendDemoSession(accountId: string, session: DemoSession, options?: SendOptions): Promise<SendResult>;
  sendChatConversation(accountId: string, conversation: ChatConversation, options?: SendOptions): Promise<SendResult>;
  sendDemoSessions(accountId: string, sessions: Many<DemoSession>, options?: SendOptions): AsyncGenerator<SendResult>;
  sendChatConversations(
    accountId: string,
    conversations: Many<ChatConversation>,
    options?: SendOptions,
  ): AsyncGenerator<SendResult>;
  /** Creates the account or updates it. */
  putAccount(accountId: string, account: Account, options?: SendOptions): Promise<CallResult>;
  /** Creates or renames an assistant. A conversation of an unknown assistant creates it too. */
  putChatAssistant(accountId: string, assistantId: string, name: string): Promise<CallResult>;
  /** A link that signs a person in to the account's dashboard, once. */
  createDashboardLink(accountId: string, person?: LinkFor): Promise<CallResult<DashboardLink>>;
  /** Everybody who is signed in to the account's dashboard, newest first, or one person's sessions. */
  listSessions(accountId: string, person?: { readonly person?: string }): Promise<CallResult<readonly Session[]>>;
  /** Signs out one person or everybody, and ends the sign-in links that they have not used. */
  endSessions(accountId: string, who: SignedOut): Promise<CallResult<EndedSessions>>;
  /** Erases a person from the account's events. Above 0, `inFlight` says to call again in a minute. */
  erasePerson(accountId: string, email: string): Promise<CallResult<ErasedPerson>>;
}

const DEMO_SESSIONS = "demo-sessions";
const CHAT_CONVERSATIONS = "chat-conversations";

/** Create one client for the whole process: its calls hold back together when the service asks for a pause. */
export function createClient<Records extends object = AnyRecords>(options: ClientOptions): Client<Records> {
  const { key, ...asking } = options;
  const call = createAsking(asking, { key, what: "intake key", name: "BELLWIRE_API_KEY" });
  const one =
    (path: string) =>
    (accountId: string, record: object, { signal }: SendOptions = {}): Promise<SendResult> =>
      sendOne(call, { path: `${accountPath(accountId)}/${path}`, body: JSON.stringify(record), signal });
  const many =
    (path: string) =>
    (accountId: string, records: Many<object>, { signal }: SendOptions = {}): AsyncGenerator<SendResult> =>
      sendMany(call, { path: `${accountPath(accountId)}/${path}`, signal }, records);
  return {
    sendEvent: (accountId, type, ...rest) => one(eventsOf(type))(accountId, ...rest),
    sendEvents: (accountId, type, ...rest) => many(eventsOf(type))(accountId, ...rest),
    sendDemoSession: one(DEMO_SESSIONS),
    sendChatConversation: one(CHAT_CONVERSATIONS),
    sendDemoSessions: many(DEMO_SESSIONS),
    sendChatConversations: many(CHAT_CONVERSATIONS),
    ...createSetUp(call),
    ...createSessions(call),
    ...createPeople(call),
  };
}

interface One extends Pick<Call, "path" | "signal"> {
  readonly body: string;
}

async function sendOne(call: MakeCall, { body, ...target }: One): Promise<SendResult> {
  return readSendResult(await call({ method: "POST", content: { type: "application/json", body }, ...target }));
}

/** One batch at a time: the next one is read when the caller wants more. */
async function* sendMany(
  call: MakeCall,
  target: Pick<Call, "path" | "signal">,
  records: Many<object>,
): AsyncGenerator<SendResult> {
  for await (const { body, count } of splitIntoBatches(records)) {
    const outcome = await call({ method: "POST", content: { type: "application/x-ndjson", body }, ...target });
    yield* readBatchResults(outcome, count);
  }
}

const eventsOf = (type: string): string => `events/${encodeURIComponent(type)}`;
