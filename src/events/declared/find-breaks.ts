/**
 * Compares what a type was declared as with what it is now, and names what breaks somebody: a receiver that relies on
 * the body, or a back end that sends records as before. Pure.
 */
import { toBodySchema } from "./body.ts";
import type { Declaration } from "./declaration.ts";
import { type Field, listFields } from "../schema/fields.ts";

export interface Break {
  readonly type: string;
  /** `lead.email`; empty for the type itself. */
  readonly path: string;
  readonly breaks: "receivers" | "the back end";
  /** The end of a sentence that begins with the path. */
  readonly message: string;
}

/** A sentence: `lead_identified lead.email is there no more: this breaks receivers.` */
export const describeBreak = ({ type, path, breaks, message }: Break): string =>
  `${[type, path].filter((part) => part !== "").join(" ")} ${message}: this breaks ${breaks}.`;

/** In the order of `before`, new types in the end; empty when everybody can go on as they are. */
export function findBreaks(before: readonly Declaration[], now: readonly Declaration[]): readonly Break[] {
  const byType = new Map(now.map((declaration) => [declaration.type, declaration]));
  return before.flatMap((old) => {
    const declared = byType.get(old.type);
    if (declared !== undefined) return compare(old, declared);
    return [{ type: old.type, path: "", breaks: "the back end" as const, message: "is declared no more" }];
  });
}

function compare(old: Declaration, now: Declaration): Break[] {
  const { type } = old;
  const [oldFields, newFields] = [old, now].map((each) => new Map(listFields(toBodySchema(each)).map(withPath)));
  const gone = [...(oldFields ?? [])].flatMap(([path, field]) =>
    compareField(field, newFields?.get(path)).map((found) => ({ type, path, ...found })),
  );
  const asked = [...(newFields ?? [])].flatMap(([path, { isRequired }]): Break[] => {
    const message = oldFields?.has(path) === true ? "must be there now" : "is new, and must be there";
    const isAsked = isRequired && oldFields?.get(path)?.isRequired !== true && !isBelowNew(path, oldFields);
    return isAsked ? [{ type, path, breaks: "the back end", message }] : [];
  });
  const key = keyWords(old) === keyWords(now) ? [] : [keyBreak(old, now)];
  return [...gone, ...asked, ...key];
}

const withPath = (field: Field): [string, Field] => [field.path, field];

/** What must be in something new is asked of nobody who sends none. */
function isBelowNew(path: string, oldFields: ReadonlyMap<string, Field> | undefined): boolean {
  const above = path.replace(/(?:\[\])?\.[^.]*$/, "");
  return above !== path && oldFields?.has(above) !== true;
}

type Found = Pick<Break, "breaks" | "message">;

function compareField(old: Field, now: Field | undefined): Found[] {
  if (now === undefined) return [{ breaks: "receivers", message: "is there no more" }];
  const [more, fewer] = [listMissing(now.types, old.types), listMissing(old.types, now.types)];
  const others = more.filter((type) => type !== "null");
  const found: Found[] = [];
  if (more.includes("null")) found.push({ breaks: "receivers", message: "can be null now" });
  if (others.length > 0) found.push({ breaks: "receivers", message: `can be of type ${others.join(" or ")} now` });
  if (fewer.length > 0) found.push({ breaks: "the back end", message: `must not be ${fewer.join(" or ")} any more` });
  if (old.isRequired && !now.isRequired) found.push({ breaks: "receivers", message: "may be missing now" });
  return found;
}

/** Of `types` those that `known` has not. Every whole number is a number. */
const listMissing = (types: Field["types"], known: Field["types"]): Field["types"] =>
  types.filter((type) => !known.includes(type) && !(type === "integer" && known.includes("number")));

export const keyWords = ({ key }: Pick<Declaration, "key">): string => [key].flat().join(" ");

function keyBreak(old: Declaration, now: Declaration): Break {
  const change = `has the key ${keyWords(now)} instead of ${keyWords(old)}`;
  const message = `${change}: a record that is sent again counts as a new event`;
  return { type: old.type, path: "", breaks: "receivers", message };
}
