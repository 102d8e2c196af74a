/** A sent attempt as somebody would paste it into "Check a signature". Pure. */
import type { DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";

export interface Sent {
  readonly headers: string;
  readonly body: string;
}

/** `number` as in the log; the last attempt when there is none of that number. */
export function sentIn({ attempts, body }: Pick<DeliveryDetail, "attempts" | "body">, number: number): Sent {
  const attempt = attempts.find((each) => each.number === number) ?? attempts.at(-1);
  const headers = Object.entries(attempt?.requestHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  return { headers: headers.join("\n"), body: body ?? "" };
}
