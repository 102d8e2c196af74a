import { populate } from "../test/kit/browser/populated.ts";
import { setStage } from "../test/kit/browser/stage.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { makeDay } from "./day-of-deliveries.ts";
import { pause } from "../test/kit/wait.ts";
await using stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
await using receiver = await startReceiver();
const { accountId, paths } = await populate(stage.dashboard, receiver, "acme-inc");
const { store } = stage.dashboard.app;
const account = await store.loadAccount({ accountId });
await makeDay(store, { accountId, destinationId: account?.alerts[0]?.destination?.id ?? "", nowMs: Date.now() });
console.log(paths);
const wanted = process.argv.slice(2).map((text) => text.split("|") as [string, string, string]);
for (const [name, look, pattern] of wanted) {
  const path = paths.find((each) => new RegExp(pattern).test(each)) ?? pattern;
  await using visit = await stage.open("/", {
    accountId,
    scheme: look === "dark" ? "dark" : "light",
    width: look === "320" ? 320 : 1280,
  });
  await visit.page.goto(`${stage.dashboard.url}${path}`);
  await pause(1500);
  const height = Math.min(1700, await visit.page.evaluate<number>("document.documentElement.scrollHeight"));
  await visit.page.screenshot({
    path: `/tmp/shots/${name}-${look}.png`,
    fullPage: true,
    clip: { x: 0, y: 0, width: look === "320" ? 320 : 1280, height },
  });
}
