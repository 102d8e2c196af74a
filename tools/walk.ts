/**
 * `npm run walk`: an owner's way from "the webhook of jane@acme.example did not arrive" to everything delivered, in a
 * real browser. It prints clicks and seconds; `-- --pictures <folder>` keeps a picture of each step there.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Counted, walkJane } from "../test/kit/browser/jane-walk.ts";
import { setStage } from "../test/kit/browser/stage.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";

const { pictures } = parseArgs({ options: { pictures: { type: "string" } } }).values;
/** Everything that is fetched, drawn and faded in has settled by then. The walk does not count the time of pictures. */
const SETTLE_MS = 700;

await using stage = await setStage();
await using receiver = await startReceiver();
const { toCause, toDelivered } = await walkJane(stage, receiver, async (page, step) => {
  if (pictures === undefined) return;
  await pause(SETTLE_MS);
  await page.screenshot({ path: join(pictures, `walk-${step}.png`) });
});
console.log(`from the overview to the cause: ${toText(toCause)}`);
console.log(`from the mended receiver to everything delivered: ${toText(toDelivered)}`);

function toText({ clicks, fields, seconds }: Counted): string {
  return `${clicks} ${clicks === 1 ? "click" : "clicks"} and ${fields} typed, ${seconds.toFixed(1)} s`;
}
