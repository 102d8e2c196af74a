/** How answers are kept: what is asked again, when, and what a lost session does. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing, isSignedOut } from "./api-problem.ts";

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
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
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
