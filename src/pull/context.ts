/** What the files of this folder work with. */
import type { DeliveryContext } from "../delivery/context.ts";
import type { Waits } from "./waits.ts";

export interface PullContext extends Pick<
  DeliveryContext,
  "store" | "accounts" | "clock" | "random" | "report" | "names" | "bodies"
> {
  readonly waits: Waits;
}
