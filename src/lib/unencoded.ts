/**
 * Finds what has to be encoded in the address of a server. Passwords are made by machines, and people paste them as
 * they are; one of these characters ends the part with the password, so that the last @ stands where no path, parameter
 * or fragment has one. Pure; no message repeats the address.
 */

/** The end of a sentence about the address, or `null`. `example` has a `password` in it. */
export function unencodedFault(text: string, example: string): string | null {
  const unencoded = findUnencoded(text, URL.parse(text));
  if (unencoded === null) return null;
  const code = encodeURIComponent(unencoded);
  const shown = example.replace("password", `pass${code}word`);
  return `has ${unencoded} in its user or password; write ${code} in its place, as in ${shown}`;
}

function findUnencoded(text: string, url: URL | null): string | null {
  const beforeHost = text.slice(text.indexOf("//") + 2, text.lastIndexOf("@"));
  if (url === null) return text.includes("@") ? (/[#/?[\]\\^|]/.exec(beforeHost)?.[0] ?? null) : null;
  if (url.hash !== "") return "#";
  if (url.pathname.includes("@")) return "/";
  if (/^\?[^=]*@/.test(url.search)) return "?";
  return isDecodable(url.username) && isDecodable(url.password) ? null : "%";
}

/** A % that is not the beginning of a code is taken as it is, also by pg. */
function isDecodable(part: string): boolean {
  if (/%(?![\da-f]{2})/i.test(part)) return true;
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
