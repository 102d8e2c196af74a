/** An installation that is held says so on every page, and the line goes when it is adopted. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStage } from "../../test/kit/browser/stage.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { adopt } from "../../src/commands/adopt.ts";
import { PAGES } from "../../src/dashboard/pages/documents.ts";

const folder = newFolder();
const BELLWIRE_DATABASE = `sqlite:${join(folder.path, "held.db")}`;
const stage = await setStage({ env: { BELLWIRE_DATABASE }, changes: { holds: true } });
after(async () => {
  await stage[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const SAID = "Held: nothing is accepted or sent until the operator runs bellwire adopt";

test("each page says that the installation is held and which command ends that, until it has", async () => {
  await using visit = await stage.open("/", { width: 320 });
  const { page } = visit;
  const banner = page.getByText(SAID);
  const paths = PAGES.filter(({ path, place }) => place !== null && !path.includes(":")).map(({ path }) => path);
  assert.ok(paths.length > 12);
  for (const path of paths) {
    await page.goto(`${stage.dashboard.url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await banner.waitFor();
    assert.equal(await banner.count(), 1, path);
  }
  await assertSound(page);

  const { io } = createFakeIo([], { BELLWIRE_DATABASE });
  assert.equal(await adopt(io), 0);
  // Nobody reloads the page.
  await banner.waitFor({ state: "detached" });
});
