/** Conditions as a column has them: JSON, because they are only ever read and written whole; null for none. */
import type { Conditions } from "../../../domain/conditions.ts";

export const writeConditions = (conditions: Conditions | null): string | null =>
  conditions === null ? null : JSON.stringify(conditions);

export const readConditions = (text: string | null): Conditions | null =>
  text === null ? null : (JSON.parse(text) as Conditions);
