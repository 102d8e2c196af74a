/** What the files of this folder work with. */
import type { DeliveryContext } from "../delivery/context.ts";
import type { Problem } from "../domain/problem.ts";
import type { Waits } from "./waits.ts";

export interface PullContext extends Pick<
  DeliveryContext,
  "store" | "accounts" | "clock" | "random" | "report" | "names" | "bodies"
> {
  readonly waits: Waits;
  /** While the installation is held, nothing is handed out. */
  readonly hold: { readonly problem: Problem | null };
}
