/**
 * What somebody types into a search box stands behind `#` in the page's address, which browsers send to nobody: it is
 * often a person's e-mail address, and proxies write addresses down. For the pages it is `q` of the query, like any
 * other part: the router reads and writes addresses here. Calls take it out of their address, too (api.ts).
 */
import { navigate, useBrowserLocation, useLocationProperty } from "wouter/use-browser-location";

/** The address with its `q` behind `#`. */
export function hideWords(href: string): string {
  const [address = ""] = href.split("#", 1);
  const [path = "", query = ""] = address.split("?");
  const parts = new URLSearchParams(query);
  const words = parts.get("q");
  if (words === null) return href;
  parts.delete("q");
  return `${path}${parts.size === 0 ? "" : `?${parts}`}#${new URLSearchParams({ q: words })}`;
}

/** The query with what stands behind `#`. */
export function findSearch({ search, hash }: Pick<Location, "search" | "hash">): string {
  const words = new URLSearchParams(hash.slice(1)).get("q");
  if (words === null) return search;
  const parts = new URLSearchParams(search);
  parts.set("q", words);
  return `?${parts}`;
}

const currentSearch = (): string => findSearch(location);

const useHiddenSearch = (): string => useLocationProperty(currentSearch, currentSearch);

const go: typeof navigate = (to, options) => navigate(hideWords(String(to)), options);

function useHiddenLocation(): ReturnType<typeof useBrowserLocation> {
  const [path] = useBrowserLocation();
  return [path, go];
}

/** How the router finds the query, goes to an address, and writes one into a link. */
export const HIDING_WORDS = {
  searchHook: useHiddenSearch,
  hook: useHiddenLocation,
  hrefs: hideWords,
};
