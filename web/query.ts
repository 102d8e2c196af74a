/**
 * The service's answers in components: who asks, what is asked again and when, what a lost session does, and who is
 * signed in.
 */
import {
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, use } from "react";
import type { RouteName } from "../src/dashboard/contract/routes.ts";
import type { SessionAnswer } from "../src/dashboard/contract/session.ts";
import { type Answer, call, type CallInput, type InputArguments, isPassing, isSignedOut } from "./api.ts";

type Reading = Extract<RouteName, `GET ${string}`>;
type Changing = Exclude<RouteName, Reading>;

/**
 * The answer of a route. When only the query changes (a filter, a page) the old answer stays until the new one is
 * there, so that lists do not flicker. Never when the params change: one alert's form must not show another's values.
 */
export function useAnswer<Name extends Reading>(
  name: Name,
  ...[input]: InputArguments<Name>
): UseQueryResult<Answer<Name>> {
  return useQuery({
    queryKey: [name, input],
    queryFn: () => call(name, ...([input] as InputArguments<Name>)),
    placeholderData: (previous, query) =>
      toParamsText(query?.queryKey[1]) === toParamsText(input) ? previous : undefined,
  });
}

const toParamsText = (input: unknown): string =>
  JSON.stringify((input as { params?: unknown } | undefined)?.params ?? {});

/**
 * Like `useAnswer`, for what depends on a choice: nothing is asked while `input` is `null`. `againMs`: asked again
 * after that time, as long as the page is looked at. `isFresh`: what was answered a moment ago is asked again too.
 */
export function useAnswerWhen<Name extends Reading>(
  name: Name,
  input: CallInput<Name> | null,
  { againMs = false, isFresh = false }: { readonly againMs?: number | false; readonly isFresh?: boolean } = {},
): UseQueryResult<Answer<Name>> {
  return useQuery({
    queryKey: [name, input],
    queryFn: () => call(name, ...([input] as InputArguments<Name>)),
    enabled: input !== null,
    refetchInterval: againMs,
    ...(isFresh && { staleTime: 0 }),
  });
}

/** A change. `outdates` names the routes to fetch again once it has succeeded. */
export function useChange<Name extends Changing>(
  name: Name,
  ...outdates: readonly Reading[]
): UseMutationResult<Answer<Name>, Error, CallInput<Name>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: CallInput<Name>) => call(name, ...([input] as InputArguments<Name>)),
    onSuccess: () => refresh(client, outdates),
  });
}

/** Marks answers as old; those on the page are fetched again at once. */
export async function refresh(client: QueryClient, names: readonly Reading[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}

/* How answers are kept: what is asked again, when, and what a lost session does. */

/** A question is asked up to three times where that can help; a guess. */
const RETRIES_MAX = 2;
/** The live stream says what has changed, so an answer is only old after a while. A guess. */
const STALE_AFTER_MS = 15_000;

/** Guess: a database that was away is back after seconds or minutes. */
const BACK_AFTER_MS = 5_000;

export function makeQueryClient(): QueryClient {
  const noticeSignOut = (error: Error): void => {
    // The session's own answer then fails too, and the page says what happened (app.tsx).
    if (isSignedOut(error)) void client.invalidateQueries({ queryKey: ["GET /session"] });
  };
  let who: string | null = null;
  /** Another window of the browser has signed somebody else in. Every answer so far belongs to the one before. */
  const noticeWho = (session: SessionAnswer): void => {
    const before = who;
    who = toWho(session);
    if (before === null || before === who) return;
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "GET /session" });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onSuccess: (answer, { queryKey: [name] }) => name === "GET /session" && noticeWho(answer as SessionAnswer),
      onError: (error, query) => query.queryKey[0] !== "GET /session" && noticeSignOut(error),
    }),
    mutationCache: new MutationCache({ onError: noticeSignOut }),
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // A page that could not be read comes back without a press.
        refetchInterval: ({ state: { error } }) => isPassing(error) && BACK_AFTER_MS,
        retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
        // A browser that believes to be offline may still reach a service on its own network.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}

/* Who is signed in, for every component below the gate in app.tsx, and what that person may do. */

/** Whose page it is: nothing that is shown to one, or typed, is there for another. */
export const toWho = ({ account, person }: SessionAnswer): string => JSON.stringify([account.id, person]);

export const SessionContext = createContext<SessionAnswer | null>(null);

export function useSession(): SessionAnswer {
  const session = use(SessionContext);
  if (session === null) throw new Error("useSession outside of the pages that need a session; see app.tsx");
  return session;
}

/**
 * Why this person may not do it, as the text for `disabledReason`; `undefined` for owners. `what` completes the
 * sentence "Only owners can …". The server refuses it too.
 */
export function useOwnersOnly(what: string): string | undefined {
  return useSession().role === "owner" ? undefined : `Only owners can ${what}.`;
}
