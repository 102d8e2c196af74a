/**
 * Numbers compared by the digits they are written with. A 64-bit float reads 100.00000000000000001 as 100 and -1e-400
 * as zero, so a float cannot say whether such a number is within its bounds. Pure; linear in the text's length.
 */

/** A number of JSON: `0.digits × 10^point`, without zeros at either end; zero has no digits. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly point: number;
}

/** Below, at or above zero as the first is less than, equal to or greater than the second. */
export const compareDecimals = (one: string, other: string): number =>
  compareParsed(parseDecimal(one), parseDecimal(other));

/** The same of numbers that are parsed already. */
export function compareParsed(first: Decimal, second: Decimal): number {
  const bySign = readSign(first) - readSign(second);
  if (bySign !== 0 || first.digits === "") return bySign;
  const bySize = first.point - second.point || compareTexts(first.digits, second.digits);
  // Not `-bySize`, which is minus zero for two that are the same.
  return first.isNegative ? 0 - bySize : bySize;
}

export function isWhole(number: string): boolean {
  const { digits, point } = parseDecimal(number);
  return digits.length <= point || digits === "";
}

/** One text for all spellings of a number. */
export function toCanonical(number: string): string {
  const { isNegative, digits, point } = parseDecimal(number);
  return digits === "" ? "0" : `${isNegative ? "-" : ""}${digits}e${point}`;
}

export function parseDecimal(number: string): Decimal {
  const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const all = `${whole}${fraction}`;
  const significant = all.replace(/^0+/, "");
  return {
    isNegative: mantissa.startsWith("-"),
    digits: withoutEndZeros(significant),
    point: whole.length - (all.length - significant.length) + Number(exponent),
  };
}

/** Not `/0+$/`, which takes the square of the length on zeros that are not at the end. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** Minus zero is zero. */
const readSign = ({ isNegative, digits }: Decimal): number => (digits === "" ? 0 : isNegative ? -1 : 1);

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
