/**
 * Fields of a CSV file (RFC 4180) that a spreadsheet opens without harm. Pure. A text that a spreadsheet would run as a
 * formula gets an apostrophe before it, which spreadsheets take as "this is text": who and what come from visitors.
 */
export type CsvValue = string | number | null;

/** Excel takes a file for UTF-8 only when it begins with this. */
export const BYTE_ORDER_MARK = "\ufeff";

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(",")}\r\n`;

/** What begins a formula, also in full-width characters, and the controls that hide one (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvField(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
