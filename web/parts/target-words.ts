/** Where a webhook goes, for people. Lists need it without the words of health. */
import { isPulled } from "../../src/domain/pull.ts";

/** Its URL, or that a program asks. */
export const targetInWords = (url: string): string => (isPulled({ url }) ? "Your program asks" : url);
