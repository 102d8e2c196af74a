/** The example of a declared type as a record that happens now, under a key that nothing has had. Pure. */
import { parseExactJson } from "../exact-json.ts";
import { asMembers } from "../summary.ts";
import { CALLER_KEY, CALLER_KEY_MEMBER, type Declaration, keyPointers } from "./declaration.ts";
import { parsePointer, valueAt } from "../schema/keywords.ts";
import { createRecordCheck } from "./record-check.ts";

export interface NewExample {
  readonly text: string;
  /** False: the schema takes no key that was tried, so the example's own stands. */
  readonly hasNewKey: boolean;
}

/** Lays a new key and the time over the example, each where the schema takes it. */
export function createExample(declaration: Declaration, nowMs: number, uuid: string): NewExample {
  const { exampleText, occurredAt } = declaration;
  const records = createRecordCheck(declaration, { isOnce: true });
  const isTaken = (text: string): boolean => records.read(text, 1, uuid).ok;
  const timed = occurredAt === null ? exampleText : change(exampleText, occurredAt, new Date(nowMs).toISOString());
  const text = isTaken(timed) ? timed : exampleText;
  if (declaration.key === CALLER_KEY) {
    const named = { ...(parseExactJson(text) as object), [CALLER_KEY_MEMBER]: uuid };
    return { text: JSON.stringify(named), hasNewKey: true };
  }
  for (const key of keyPointers(declaration)) {
    const old = valueAt(JSON.parse(text), parsePointer(key) ?? []);
    for (const candidate of listKeys(old, uuid)) {
      const changed = change(text, key, candidate);
      if (isTaken(changed)) return { text: changed, hasNewKey: true };
    }
  }
  return { text, hasNewKey: false };
}

/** Whether samples get keys of their own: `createExample` found one that the schema takes. */
export const hasNewKeys = (declaration: Declaration): boolean =>
  createExample(declaration, 0, "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11").hasNewKey;

function change(text: string, pointer: string, value: unknown): string {
  const record = parseExactJson(text);
  const path = parsePointer(pointer) ?? [];
  const above = valueAt(record, path.slice(0, -1));
  const name = path.at(-1) ?? "";
  if (Object.hasOwn(asMembers(above), name)) Object.defineProperty(above, name, { value, enumerable: true });
  return JSON.stringify(record);
}

/** As free as can be first: a UUID, the old key with other digits and letters, numbers from large to small. */
function listKeys(old: unknown, uuid: string): readonly (string | number)[] {
  const bits = BigInt(`0x${uuid.replaceAll("-", "")}`);
  if (typeof old === "number") return [52n, 31n, 15n, 7n, 3n].map((size) => Number(bits % (1n << size)) + 1);
  const text = String(old);
  const like = text === text.toUpperCase() ? uuid.toUpperCase() : uuid;
  return [like, redraw(text, bits, /[0-9a-z]/gi), redraw(text, bits, /\d/g), `${text}-${uuid.slice(0, 8)}`];
}

/** Other characters of the same kind in the place of each that `kind` finds. */
function redraw(text: string, bits: bigint, kind: RegExp): string {
  let left = bits;
  return text.replaceAll(kind, (old) => {
    const set = /\d/.test(old)
      ? "0123456789"
      : old === old.toUpperCase()
        ? "ABCDEFGHJKMNPQRSTVWXYZ"
        : "abcdefghjkmnpqrstvwxyz";
    const drawn = set.charAt(Number(left % BigInt(set.length)));
    left = left / BigInt(set.length) || bits;
    return drawn;
  });
}
