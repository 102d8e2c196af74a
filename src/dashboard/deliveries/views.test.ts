import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnswers, OTHER_ACCOUNT, toProblem } from "../../../test/kit/world/answers.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { LIMITS } from "../../domain/limits.ts";

test("views are kept for their account, in the order of their names, up to their most", async () => {
  await using answers = await createAnswers();
  const put = (name: string, search: string | null) => answers.call("PUT /views", { body: { name, search } });
  toValue(await put(" Failed today ", "status=failed&range=24h"));
  const { views } = toValue(await put("All of CRM", "destination=dst_1"));
  assert.deepEqual(
    views.map(({ name }) => name),
    ["All of CRM", "Failed today"],
  );
  assert.deepEqual(toValue(await answers.call("GET /views", {}, { accountId: OTHER_ACCOUNT })).views, []);
  for (let n = views.length; n < LIMITS.viewsMax; n += 1) toValue(await put(`View ${n}`, `q=${n}`));
  assert.equal(toProblem(await put("More", "q=more")).detail, "The account has 30 views: delete one first.");
  toValue(await put("View 2", null));
  assert.equal(toValue(await put("More", "q=more")).views.length, LIMITS.viewsMax);
});
