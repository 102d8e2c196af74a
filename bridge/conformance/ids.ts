/** Ids of the suite's records: each number has its own. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
