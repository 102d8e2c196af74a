/**
 * What may still be done for a record: whatever loops over what others chose, such as the parts of a record, takes its
 * steps first. When they are spent it ends, with what it has found. So the work for a record grows with its size, and
 * no faster.
 */
export class Steps {
  left: number;

  constructor(max: number) {
    this.left = max;
  }

  /** `false`: they are spent. A step may be taken in parts. */
  take(count: number): boolean {
    this.left -= count;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.left < 0;
  }
}

/**
 * For one check of a record of that many characters, and for one explanation. A step is about a microsecond (measured):
 * 10 ms for a short record, 0.3 s for 1 MiB.
 */
export const stepsFor = (chars: number): Steps => new Steps(10_000 + chars / 4);

/** About as many characters as its JSON has. Without recursion, as nothing has bounded its levels. */
export function countChars(value: unknown): number {
  const parts = [value];
  let chars = 0;
  for (const part of parts) {
    chars += typeof part === "string" ? part.length : 2;
    if (typeof part !== "object" || part === null) continue;
    if (!Array.isArray(part)) for (const name of Object.keys(part)) chars += name.length + 2;
    for (const each of Object.values(part)) parts.push(each);
  }
  return chars;
}
