/**
 * The path under which a proxy serves this service, such as `/bellwire` in `https://example.com/bellwire`. Some proxies
 * pass requests on with it, some without. Inside, addresses never have it; addresses for browsers always do.
 */

/** The path of the public address, without a slash at the end; empty when there is none. */
export const readBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");

/** A request's address without the base path. Only whole segments count: `/bellwires` is not below `/bellwire`. */
export function pathBelow(basePath: string, url: string): string {
  if (basePath === "" || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}
