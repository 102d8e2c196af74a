/** Tables as the benches print them: `RESULTS.md` takes them as they are. */
export const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(" | ")} |`);

export function head(...cells: readonly string[]): void {
  row(...cells);
  console.log(`|${"---|".repeat(cells.length)}`);
}

/** Numbers for people: `10,000`. */
export const count = (value: number): string => value.toLocaleString("en");
