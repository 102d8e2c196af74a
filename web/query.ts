/**
 * Asking and changing from components, typed by the contract. Answers are kept under `[route, input]`, so the live
 * stream (live.ts) and a change can name what has become old by its route alone.
 */
import {
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteName } from "../src/dashboard/contract/routes.ts";
import { type Answer, type CallInput, type InputArguments, call } from "./api.ts";

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
