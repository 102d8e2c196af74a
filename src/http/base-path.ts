/**
 * The path under which a proxy shows this service, such as `/bellwire` of `https://example.com/bellwire`. Some proxies
 * hand requests on with it, some without: inside, addresses never have it, and those given to browsers always do.
 */

/** Of the address that people use; without a slash at the end, empty when there is no path. */
export const readBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");

/** A request's address as it is inside. Only whole segments count: `/bellwires` is not below `/bellwire`. */
export function pathBelow(basePath: string, url: string): string {
  if (basePath === "" || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}
