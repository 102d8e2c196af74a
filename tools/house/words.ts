/**
 * Words of our own that the field's words have replaced. A name of the product with one of them is found, with the word
 * to use instead; ARCHITECTURE.md's glossary says what each means.
 */
import { isProduct, type Source } from "./sources.ts";

interface Replaced {
  /** Parts of a name in lower case: `claimToken` and `claim_token` have the parts `claim` and `token`. */
  readonly parts: readonly string[];
  readonly instead: string;
  /** Where the part is another, common word: paths, or names. */
  readonly except?: { readonly paths?: RegExp; readonly names?: RegExp };
}

/** "On its way", "under way", "give way", and the ways in which something can be done. */
const WAYS = /^(?:ways?|WAYS|ON_THE_WAY|\w*[uU]nderWay(?:Words)?|isOnItsWay|mustGiveWay)$/;

const REPLACED: readonly Replaced[] = [
  { parts: ["haul"], instead: "batch" },
  { parts: ["gist", "gists"], instead: "summary" },
  { parts: ["strain", "unstrained"], instead: "failure score" },
  { parts: ["trips"], instead: "consecutive opens", except: { names: /^roundTrips$/ } },
  { parts: ["stranger", "strangers"], instead: "unauthenticated" },
  { parts: ["door", "doors"], instead: "auth hook" },
  { parts: ["lapsed"], instead: "expired" },
  { parts: ["situation"], instead: "path state" },
  { parts: ["tally", "tallies", "tallied"], instead: "delta", except: { paths: /^src\/demo\// } },
  { parts: ["room", "rooms"], instead: "capacity", except: { paths: /^web\/(?:parts\/editor|ui)\// } },
  { parts: ["way", "ways"], instead: "scan, or round trip", except: { names: WAYS } },
  { parts: ["digest", "digests"], instead: "notification", except: { names: /^(?:digests?|computeDigest)$/ } },
];

/** Sentences such as `src/a.ts: haulMax: say "batch"`. */
export function findReplacedWords(sources: readonly Source[]): readonly string[] {
  return sources.filter((source) => isProduct(source) && /^(?:src|web|bridge)\//.test(source.path)).flatMap(findIn);
}

function findIn({ path, text }: Source): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|^\s*--.*$/gm, "").replaceAll(/"(?:[^"\\\n]|\\.)*"/g, "");
  return [...new Set(code.match(/[A-Za-z_]\w*/g))].flatMap((name) => {
    const parts = name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split("_");
    const isReplaced = ({ parts: words, except = {} }: Replaced): boolean =>
      words.some((word) => parts.includes(word)) &&
      !(except.paths?.test(path) ?? false) &&
      !(except.names?.test(name) ?? false);
    return REPLACED.filter(isReplaced).map(({ instead }) => `${path}: ${name}: say "${instead}"`);
  });
}
